"""What a wish can be about and still hold beyond the task of the moment: the words for how an answer is."""

MANNER = (
    r"(?:emojis?|emoticons|smileys|bullet points?|bullets|jargon|apologies|disclaimers?|caveats|headings|headers|"
    r"exclamation (?:marks|points)|semicolons|small talk|chit-?chat|pleasantries|filler|fluff|padding|em[- ]dashes|"
    r"markdown|bold(?: text)?|italics|buzzwords|clich(?:e|\u00e9)s|slang|idioms|abbreviations|acronyms|contractions|"
    r"hashtags|greetings|introductions?|intros?|preambles?|summaries|recaps|code comments|type hints|docstrings|"
    r"rhetorical questions|follow-?up questions|flattery|sarcasm|(?:the\s)?(?:passive|active) voice|"
    r"(?:the\s)?(?:oxford|serial) comma|technical (?:terms|language|jargon)|legalese|(?:big|fancy|long) words|"
    r"sugar-?coating|moralizing|moralising|lecturing|hand-?holding|cheerleading)"
)
"""What a reply has or has not, whatever it is about."""
LANGUAGE = (
    r"(?:english|german|french|spanish|portuguese|italian|dutch|polish|turkish|japanese|chinese|korean|russian|arabic|"
    r"hindi|swedish|danish|norwegian|finnish|greek|czech|ukrainian|mandarin|cantonese|vietnamese|thai|indonesian|"
    r"hungarian|romanian|hebrew|catalan|welsh|irish|swahili|bengali|urdu|tamil|persian|farsi)"
)
VARIETY = r"(?:(?:plain|simple|basic|easy|everyday|proper|british|american|australian|canadian|uk|us)\s)"
REPLIES = r"(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|sentences|summaries)"
"""What an agent writes, one at a time or all of them."""
TRAIT = (
    r"(?:concise|brief|specific|formal|informal|casual|direct|honest|blunt|polite|friendly|patient|kind|gentle|precise|"
    r"critical|thorough|detailed|succinct|terse|objective|neutral|professional|funny|serious|strict|encouraging|"
    r"straightforward|clear|short|shorter|longer|simple|simpler|technical|verbose|wordy|chatty|cheerful|enthusiastic|"
    r"dramatic|vague|repetitive|positive|negative|realistic|careful|condescending|patroni[sz]ing|preachy|robotic|"
    r"long-?winded|apologetic|sarcastic|supportive|conversational|academic|upbeat|light-?hearted|frank|candid|"
    r"matter-of-fact|to the point|businesslike|playful|sycophantic|flattering|pushy|bossy|nice|warm|cold|stiff|"
    r"pedantic|evasive|generic|practical|complicated|flowery|judgmental)"
)
"""What an answer, or who gives it, can be."""
SOMEWHAT = (
    r"(?:(?:more|less|a bit|a little|very|really|always|as|much|way|so|too|a lot|overly|completely)\s){0,3}"
)
ADVERB = (
    r"(?:briefly|concisely|formally|informally|casually|politely|directly|simply|slowly|honestly|bluntly|precisely|"
    r"thoroughly|plainly|clearly|normally|frankly|step by step|point by point)"
)
FORM = (
    rf"(?:(?:(?:at most|no more than|max(?:imum)?|one|two|three|four|five|a few|\d{{1,3}}|complete|full|short|"
    rf"plain|simple|numbered|single|everyday|layman's|lay|proper|british|american)\s){{0,3}}(?:sentences?|words?|"
    rf"lines?|"
    rf"paragraphs?|bullet points?|bullets|lists?|tables?|prose|steps|markdown|text|caps|lower ?case|language|terms|"
    rf"english|json|yaml|xml|html|rhymes?|haikus?|verse|code blocks?)|{LANGUAGE}|the (?:first|second|third) person|"
    rf"(?:first|second|third) person|my (?:own )?language|the (?:same )?language (?:that )?i (?:write|ask|use)(?: in)?)"
)
REPLY_WORDS = (
    rf"(?:{MANNER}|tables|lists|examples|questions|warnings|compliments|praise|text|detail|details|explanations?|"
    rf"theory|"
    r"repetition|humou?r|jokes|puns|formatting|capital letters|adjectives|metaphors|analogies|links|sources|citations|"
    r"numbers|code|comments|spoilers|ads|lectures?|politics|words|talk|chatter|substance|paragraphs|opinions?|"
    r"unsolicited advice|excuses)"
)
"""As `MANNER`, and what can be the matter of a question too: only in forms that speak of the manner themselves."""
OF_CODE = (
    r"(?:python|typescript|javascript|java|rust|go|golang|kotlin|swift|scala|ruby|php|perl|julia|haskell|elixir|c\#|"
    r"c\+\+|"
    r"pnpm|npm|yarn|bun|deno|pip|uv|poetry|conda|pytest|unittest|jest|vitest|mocha|junit|ruff|black|flake8|eslint|"
    r"prettier|docker|podman|postgres(?:ql)?|sqlite|mysql|mariadb|pandas|polars|numpy|react|vue|svelte|angular|"
    r"tailwind|"
    r"bootstrap|django|flask|fastapi|express|bash|zsh|powershell|vim|emacs|vs ?code|latex|markdown|tabs|spaces|"
    r"(?:single|double) quotes|snake_?case|camel_?case|async/await|promises|classes|functions|f-strings|loguru|"
    r"pathlib|httpx|requests|axios|fetch|gradle|maven|make|cmake|terraform|kubernetes|git)"
)
MEASURE = (
    r"(?:metric|imperial|si units|celsius|fahrenheit|kelvin|kilomet(?:er|re)s?|km|miles|met(?:er|re)s|feet|inches|"
    r"kilos?|kilograms?|kg|grams|pounds|ounces|lit(?:er|re)s|cups|gallons|euros?|dollars|usd|eur|gbp|francs|yen|pounds|"
    r"24[- ]?h(?:our)?s?(?: time| clock| format)?|12[- ]?hour(?: time| clock| format)?|am/pm|utc|gmt|cet|iso(?: "
    r"dates?)?|"
    r"(?:iso )?[ymd]{2,4}[-/.][ymd]{2,4}[-/.][ymd]{2,4})"
)
ABOUT_TALK = (
    r"(?:apologi[sz](?:e|ing)|lectur(?:e|ing)|morali[sz](?:e|ing)|preach(?:ing)?|patroni[sz](?:e|ing)|flatter(?:ing)?|"
    r"rambl(?:e|ing)|hedg(?:e|ing)|sugar-?coat(?:ing)?|judg(?:e|ing) me|correct(?:ing)? my (?:grammar|spelling|"
    r"english)|"
    r"jok(?:e|ing)|mak(?:e|ing) (?:jokes|puns|assumptions|things up|stuff up|up (?:facts|sources|quotes|numbers|"
    r"things))|"
    r"assum(?:e|ing) (?:that )?(?:i|things|anything)|speculat(?:e|ing)|invent(?:ing)? (?:facts|sources|quotes|"
    r"numbers|things)|"
    r"hallucinat(?:e|ing)|say(?:ing)? (?:sorry|thank|please|things like|as an)|translat(?:e|ing) names|summari[sz](?:e|"
    r"ing) (?:at|everything|what)|nag(?:ging)?|congratulat(?:e|ing)|prais(?:e|ing) (?:me|my|every)|greet(?:ing)? me|"
    r"ask(?:ing)? (?:me )?(?:so many|too many|how i|if i|whether i|for confirmation|follow-?up|the same|multiple|"
    r"more than)|"
    r"send(?:ing)? me (?:links|reminders|long|so many)|address(?:ing)? me|refer(?:ring)? to me|"
    rf"us(?:e|ing) (?:(?:any|so many|too many|so much|too much|such)\s)?(?:{REPLY_WORDS}|complicated words|"
    rf"complex words|"
    r"words like|phrases like|the word|the phrase|caps|all caps|slang|a table|a list|my full name|my real name)|"
    r"(?:start|begin|end|open|clos|finish)(?:e|ing)?\s(?:every|each|your|all your|any|with)|"
    r"repeat(?:ing)? (?:yourself|what i|my|the question|everything)|explain(?:ing)? (?:every|the obvious|the basics|"
    r"simple|basic|what|how)|"
    r"writ(?:e|ing) (?:so much|such long|essays|walls of text|more than|novels|in (?:all )?caps|comments)|"
    r"(?:answer|reply|respond)(?:ing)? (?:in|with|like|so)|(?:speak|talk)(?:ing)? (?:to me )?(?:like|as if|down)|"
    r"shorten(?:ing)? my name|treat(?:ing)? me (?:like|as)|be(?:ing)? (?:such an?(?=\s)|(?:so|too|overly)"
    rf"(?=\s(?!sure|certain|hard|quick|late)\w+(?:\s(?:with|to) me|\sall the time)?\s*(?:[.!?,]|$)))|be(?:ing)? "
    rf"{TRAIT}\b|cut(?:ting)? corners|"
    r"(?:giv|offer|suggest|list|show)(?:e|ing)?(?: me)? (?:more than|so many|too many|(?:two|three|four|five|ten|\d+))|"
    r"(?:just )?agree(?:ing)? with (?:me|everything)|argu(?:e|ing) with me|quot(?:e|ing) me|"
    r"tell(?:ing)? me (?:what i want to hear|to (?:see|consult|ask) a)|pad(?:ding)? (?:your|the|out)|"
    r"soften(?:ing)? (?:bad|your|the)|second-?guess(?:ing)?|talk(?:ing)? so much|mansplain(?:ing)?|"
    rf"add(?:ing)? (?:{MANNER}|comments|summaries|a (?:summary|disclaimer|conclusion|note) (?:at|to|after|in))|"
    r"remind(?:ing)? me (?:to (?:see|consult|seek)|(?:that )?you)|pretend(?:ing)? (?:to|that you)|sound(?:ing)? "
    r"(?:like|so)|"
    r"tell(?:ing)? me (?:to (?:see|consult|seek)|(?:that )?you)|invent(?:ing)? (?:apis?|functions|libraries)|"
    rf"overus(?:e|ing) {MANNER}|"
    r"over-?explain(?:ing)?|overcomplicat(?:e|ing)|promis(?:e|ing))"
)
"""What is done in talking: verbs, in the base form or with -ing, and no more than says that it is about the talk."""
