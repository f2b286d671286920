"""How users say, in a first turn too, how they want to be answered, whatever it is about."""

from typing import Final

from sagacity.learning.rules.manner import LANGUAGE, MANNER, REPLIES, REPLY_WORDS
from sagacity.learning.rules.pattern import AGAIN, BY_ITSELF, NOT, POLITE, VERBS, Pattern

WISHES: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="answer_length",
        says=rf"{POLITE}{{0,2}}(?P<rule>keep\s(?:(?:your|all|all your|all of your)\s(?:\w+\s){{0,1}}?)?(?:answers?|"
        r"responses?|replies|explanations?|messages?)\s(?:\w+\s)?(?:short|brief|concise|simple|under|to the point|"
        r"below)\b[^\n,;]{0,60})",
        confidence=0.8,
        example=("Keep your answers under five lines, please.", "Keep your answers under five lines."),
        counter="Keep your answers to yourself.",
    ),
    Pattern(
        name="answer_manner",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:answer|reply|respond|write|speak|talk)\s(?:to me\s|me\s)?(?:briefly|"
        rf"concisely|formally|informally|(?:only\s)?in\s(?:(?:plain|simple|british|american)\s)?{LANGUAGE}|"
        rf"in\s(?:plain|simple)"
        rf"\s(?:words|language|terms)|in\s(?:short|complete|full)\ssentences|with\sshort\ssentences|"
        rf"without\s{MANNER}))"
        rf"{BY_ITSELF}",
        confidence=0.8,
        example=("Please answer briefly.", "Answer briefly."),
        counter="Please answer briefly what a monad is.",
    ),
    Pattern(
        name="units",
        says=rf"{POLITE}{{0,2}}(?:no[,:]?\s)?(?P<rule>use\s(?:(?:the\s)?(?:metric|imperial|si)(?:\s(?:units?|system|"
        rf"measurements))|celsius|fahrenheit|kilomet(?:er|re)s|(?:the\s)?24[- ]hour (?:time|clock|format)|(?:british|"
        rf"american)\s(?:english|spelling)|plain\s(?:english|language|text)|simple\s(?:words|language|english|terms)|"
        rf"short\ssentences|inclusive\slanguage))(?:\s(?:only|throughout))?{BY_ITSELF}",
        confidence=0.8,
        example=("Use metric units.", "Use metric units."),
        counter="Use metric units to convert this recipe.",
    ),
    Pattern(
        name="units_named",
        says=rf"(?:please,?\s)?(?P<wanted>(?:metric|imperial) units|24[- ]hour (?:time|format)|(?:british|american) "
        rf"spelling)(?:\sonly)?{BY_ITSELF}",
        gives="use {wanted}",
        confidence=0.75,
        example=("metric units!", "Use metric units."),
        counter="Metric units are strange.",
    ),
    Pattern(
        name="no_manner",
        says=rf"(?:please,?\s)?no\s(?P<banned>(?!more\b)(?:\w+\s){{0,1}}?{MANNER}(?:\sin\s(?:any |all |my |your |"
        rf"our )?"
        rf"(?:commit messages|commits|code comments|comments|e-?mails|titles|headings|pull requests|prs|docs|"
        rf"documentation|subject lines|file names|variable names|changelogs?))?)(?:\s(?:in\s(?:your|the)\s"
        rf"(?:answers?|replies|responses|messages|code)|at all|ever))?(?:{BY_ITSELF}|(?=(?:,|\sand|\sor)\s(?:no|none|"
        rf"not)\b))",
        gives="do not use {banned}",
        confidence=0.8,
        example=("No emojis, please.", "Do not use emojis."),
        counter="No emojis were harmed.",
    ),
    Pattern(
        name="manner_allowed",
        says=rf"(?P<rule>you (?:can|may) (?:use|add|include) (?:\w+\s){{0,2}}?{MANNER})(?:\s(?:again|now))?"
        rf"(?:{BY_ITSELF}|(?=,\s(?:max|at most|up to|but|just|as long as)\b))",
        confidence=0.85,
        example=("You can use emojis again.", "You can use emojis."),
        counter="You can use emojis in the title of this post.",
    ),
    Pattern(
        name="manner_fine",
        says=rf"(?P<what>{MANNER}) (?:is|are) (?:fine|ok|okay|all right|welcome)(?: with me)?(?: again| now)?"
        rf"{BY_ITSELF}",
        gives="you can use {what}",
        confidence=0.85,
        example=("Emojis are fine again.", "You can use emojis."),
        counter="Emojis are fine in the title.",
    ),
    Pattern(
        name="reply_words_fine",
        says=rf"(?P<what>(?:longer|shorter|long|short|detailed|more detailed)\s(?:answers|replies|"
        rf"responses|explanations|messages)|(?!code\b|text\b|words\b|numbers\b|politics\b){REPLY_WORDS}) (?:is|are) "
        rf"(?:fine|ok|okay|all right|welcome|allowed) (?:with me )?(?:again|now)(?:,\s(?:too|thanks))?{BY_ITSELF}",
        gives="you can give {what}",
        confidence=0.85,
        example=("Longer answers are fine now.", "You can give longer answers."),
        counter="The tables are ok now.",
    ),
    Pattern(
        name="language_again",
        says=rf"(?:you (?:can|may) |let's |please )?(?:(?:switch|go|change|get) back|(?:switch|change)(?= to \w+ "
        rf"(?:again|from now on)\b)) to (?P<language>{LANGUAGE})(?:\s(?:now|again|from now on))?{BY_ITSELF}",
        gives="answer in {language}",
        confidence=0.85,
        example=("You can switch back to English now.", "Answer in English."),
        counter="You can switch to English class now.",
    ),
    Pattern(
        name="not_correcting",
        says=rf"{POLITE}?(?P<rule>{NOT}\scorrect(?:ing)?\s(?:me|(?:all |every one of )?my\s\w+(?:\s\w+)?|"
        rf"(?:every|each|all)\s[\w ]{{3,30}}?){AGAIN}?){BY_ITSELF}",
        confidence=0.85,
        example=("Please stop correcting every mistake.", "Stop correcting every mistake."),
        counter="They stop correcting every mistake.",
    ),
    Pattern(
        name="correcting",
        says=rf"{POLITE}?(?P<rule>always\scorrect\s(?:me|my\s[\w ]{{3,40}}?)(?:\swhen [^\n,;.!?]{{3,40}})?)"
        rf"{BY_ITSELF}",
        confidence=0.9,
        example=("Always correct my English mistakes.", "Always correct the user's English mistakes."),
        counter="Teachers always correct my English mistakes.",
    ),
    Pattern(
        name="keep_short",
        says=rf"{POLITE}?(?P<rule>keep\s(?:(?:your|the|all|any|all your|all the)\s)?(?:recipes|explanations|"
        rf"summaries|lists|suggestions|examples|instructions|recaps|plans|commit messages|functions|"
        rf"snippets|stories|jokes|tips)\s(?:very |really |nice and )?"
        rf"(?:short|brief|simple|concise|small|to the point|practical)){BY_ITSELF}",
        confidence=0.8,
        example=("Please keep recipes short.", "Keep recipes short."),
        counter="I keep recipes short.",
    ),
    Pattern(
        name="not_manner",
        says=rf"{POLITE}?(?P<rule>(?:do not|don't|stop|quit|avoid)\s(?:(?:us(?:e|ing)|add(?:ing)?|giv(?:e|ing)|"
        rf"put(?:ting)?|writ(?:e|ing)|includ(?:e|ing)|start(?:ing)? with|end(?:ing)? with)\s)(?:\w+\s){{0,2}}?{MANNER}"
        rf"(?:\s(?:in\s(?:your|the|any)\s\w+|at all|ever|with me))?){BY_ITSELF}",
        confidence=0.85,
        example=("Stop using emojis.", "Stop using emojis."),
        counter="I stop using emojis.",
    ),
    Pattern(
        name="not_doing",
        says=rf"{POLITE}?(?P<rule>(?:do not|don't|stop|quit|avoid)\s(?:(?:ever|always|constantly)\s)?(?:"
        rf"apologi[sz](?:e|ing)|rambl(?:e|ing)|lectur(?:e|ing)\sme|patroni[sz](?:e|ing)\sme|flatter(?:ing)?\sme|"
        rf"sugar-?coat(?:ing)?"
        rf"(?:\sthings|\sit)?|repeat(?:ing)?\s(?:yourself|my questions?|the question)|"
        rf"(?:suggest|recommend|offer)(?:ing)?\s(?!(?:that|it|them|this|these|those|any of)\b)[^\n,;.!?]{{3,60}}?)"
        rf"(?:\s(?:to me|anymore|any more|again|so much|every time|all the time))?){BY_ITSELF}",
        confidence=0.8,
        example=("Please don't apologise.", "Don't apologise."),
        counter="They don't apologise.",
    ),
    Pattern(
        name="hates_when",
        says=r"i\s(?:really\s|absolutely\s)?(?:hate|dislike|can't stand|cannot stand|don't like)\s(?:it\s)?"
        r"when(?:ever)?\syou\s(?:always\s|keep\s)?(?P<rule>(?!are\b|were\b|can\b|have\b|get\b|feel\b|know\b|see\b|"
        r"go\b|try\b|need\b)"
        r"[^\n,;.!?]{3,80})",
        gives="do not {rule}",
        confidence=0.85,
        example=("I hate it when you apologise.", "Do not apologise."),
        counter="I hate it when you can see the brush strokes.",
    ),
    Pattern(
        name="not_to_me",
        says=rf"{POLITE}?(?P<rule>{NOT}\s(?:(?:ever|always|constantly)\s)?(?:call(?:ing)?\sme\s(?!back|later|again|"
        rf"at|on|when|tomorrow|today|if)[^\n,;.!?]{{2,40}}|thank(?:ing)?\sme|interrupt(?:ing)?\sme|(?:giv(?:e|ing)|"
        rf"offer(?:ing)?)\sme\s(?:\w+\s){{0,2}}?(?:advice|tips|lectures|warnings|disclaimers|compliments)|"
        rf"us(?:e|ing)\smy\s(?:last|full|first|real|middle|sur)\s?names?|explain(?:ing)?\s(?:the\s)?(?:basics|obvious|"
        rf"everything)|repeat(?:ing)?\s(?:my|the)\squestions?(?:\sback)?|be(?:ing)?\s(?:so|too|overly)\s\w+|"
        rf"guess(?:ing)?|assum(?:e|ing)\sthings|talk(?:ing)?\sdown|nag(?:ging)?|swear(?:ing)?)"
        rf"(?:{AGAIN}|\sto\sme|\sme){{0,2}}(?:,\s(?:say|tell|ask|just)\b[^\n.!?]{{3,60}}?)?)"
        rf"(?=,?\s*(?:please|pls|thanks|thank you|ok(?:ay)?)?\s*(?:[.!]*$|,\s?i'?m\b|,\s?i am\b))",
        confidence=0.8,
        example=("stop calling me sir", "Stop calling the user sir."),
        counter="Don't be so sure about it, it may rain.",
    ),
    Pattern(
        name="not_mentioning",
        says=rf"{POLITE}?(?P<rule>{NOT}\s(?:mention(?:ing)?|bring(?:ing)?\sup|talk(?:ing)?\sabout|"
        rf"ask(?:ing)?\s(?:me\s)?"
        rf"about)\s(?!(?:that|it|them|this|these|those)\b)[^\n,;.!?]{{2,60}}?{AGAIN}){BY_ITSELF}",
        confidence=0.85,
        example=("Do not mention my ex again.", "Do not mention the user's ex."),
        counter="They do not mention my ex again.",
    ),
    Pattern(
        name="not_without",
        says=rf"{POLITE}?(?P<rule>{NOT}\s\w+(?:\s[^\n,;.!?]{{1,40}}?)??)\swithout\s(?:my\s(?:ok(?:ay)?|permission|"
        rf"approval|"
        rf"consent)|asking(?:\sme)?(?:\sfirst)?|checking\swith\sme|telling\sme){BY_ITSELF}",
        gives="{rule} without the user's permission",
        confidence=0.85,
        example=("Never order without my ok.", "Never order without the user's permission."),
        counter="They never order without my ok.",
    ),
    Pattern(
        name="need_not",
        says=rf"you (?:don'?t (?:need|have) to|do not (?:need|have) to|needn'?t)\s(?P<rule>(?:thank|apologi[sz]e|"
        rf"explain|"
        rf"repeat|remind|greet|congratulate|warn|ask|say|tell)\b[^\n,;.!?]{{0,60}}?{AGAIN}){BY_ITSELF}",
        gives="do not {rule}",
        confidence=0.8,
        example=("You don't need to thank me every time.", "Do not thank the user every time."),
        counter="You don't need to explain the second one.",
    ),
    Pattern(
        name="rather_not",
        says=r"i(?:'d| would)\s(?:prefer|rather|appreciate|like)\s(?:it\s)?if\syou\s(?:didn'?t|did not|don'?t|do not|"
        r"wouldn'?t|would not|stopped)\s(?P<rule>(?!tell anyone|have\b|need\b|mind\b)[^\n,;.!?]{3,80})",
        gives="do not {rule}",
        confidence=0.85,
        example=("I'd prefer if you didn't use so many headings.", "Do not use so many headings."),
        counter="I'd prefer if you didn't have to go.",
    ),
    Pattern(
        name="like_whom",
        says=r"(?:please\s|pls\s)?(?P<rule>(?:talk|speak|write|explain things|"
        r"explain everything)\s(?:to me\s)?(?:like|as "
        r"if|as though|as to|with examples from|in terms of)\s(?:i|i'm|a|an|to|you|my|we)?\b[^\n;.!?]{2,80})"
        r"(?=\s*[.!]*$)",
        confidence=0.8,
        example=(
            "Talk to me like a colleague, not like a customer.",
            "Talk to the user like a colleague, not like a customer.",
        ),
        counter="They talk to me like a colleague.",
    ),
    Pattern(
        name="wants_replies",
        says=rf"i (?:only )?(?:want|prefer|need|like|'d like|would like) (?P<wanted>(?:(?:very|more|only|"
        rf"really)\s)?(?:short"
        rf"(?:er)?|brief|concise|simple|simpler|long(?:er)?|detailed|direct|honest|plain|blunt|complete|"
        rf"step[- ]by[- ]step)"
        rf"\s(?:\w+\s)??{REPLIES})(?:\sonly)?{BY_ITSELF}",
        gives="give {wanted}",
        confidence=0.8,
        example=("I want short answers only", "Give short answers."),
        counter="I want short answers to these ten questions.",
    ),
    Pattern(
        name="too_long",
        says=rf"your\s{REPLIES}\s(?:are|is)\s(?:\w+\s)?too\s(?:long|wordy|verbose)\b",
        gives="give shorter answers",
        confidence=0.8,
        example=("Your answers are way too long for me.", "Give shorter answers."),
        counter="Your answer to the third question is too long for the form.",
    ),
    Pattern(
        name="always_behind",
        says=rf"{POLITE}?(?P<rule>(?={VERBS}\b)(?!(?:always|never|stop|just|get|"
        rf"be)\b)[^\n,;.?]{{3,80}}?)[,\s]+(?:please,?\s)?"
        rf"(?:always|every (?:single )?time|each time)(?:,?\s(?:please|pls))?\s*[.!]*$",
        confidence=0.85,
        example=("Give me the bad news first, always.", "Give the user the bad news first."),
        counter="Give him my love, as always.",
    ),
    Pattern(
        name="in_what_form",
        says=r"(?:please\s)?(?:(?:give|write|show|put|state|use)\s(?:me\s)?(?:all\s|the\s)?)?(?P<what>dates|times|"
        r"prices|amounts|"
        r"numbers|distances|temperatures|quantities|weights|measurements|lengths)\s(?P<form>(?:as|"
        r"in)\s[^\n,;.?]{2,40}?)"
        r"(?:,?\s(?:please|pls))?,?\s(?:always|only|from now on|in (?:the )?future|"
        r"going forward)(?:,?\s(?:please|pls))?"
        r"\s*[.!]*$",
        gives="give {what} {form}",
        confidence=0.85,
        example=("Dates as YYYY-MM-DD please, always.", "Give dates as YYYY-MM-DD."),
        counter="Prices in Paris are always high.",
    ),
    Pattern(
        name="language_named",
        says=rf"(?:please,?\s)?(?:only\s|in\s)?(?P<language>{LANGUAGE})(?:\sonly)?,?\s(?:please,?\s)?(?:from now on|"
        rf"only|always|"
        rf"in (?:the )?future|going forward)(?:,?\splease)?\s*[.!]*$",
        gives="answer in {language}",
        confidence=0.85,
        example=("english from now on", "Answer in English."),
        counter="English is from now on taught in year one.",
    ),
    Pattern(
        name="skip",
        says=rf"{POLITE}?(?P<rule>(?:skip|drop|leave out|omit|cut)\s(?:all\s)?(?:the\s|your\s)?(?:\w+\s){{0,1}}?"
        rf"(?:introductions?|"
        rf"intros?|pleasantries|small talk|preambles?|disclaimers?|basics|apologies|filler|fluff|jargon|"
        rf"emojis?|smileys?|"
        rf"compliments|flattery|explanations?)(?:\sand\s(?:get|go|come|jump)\s(?:straight\s)?to\s[^\n,;.!?]{{3,30}})?)"
        rf"{BY_ITSELF}",
        confidence=0.8,
        example=(
            "Skip the introduction and get to the point.",
            "Skip the introduction and get to the point.",
        ),
        counter="Skip the introduction of chapter two.",
    ),
    Pattern(
        name="means",
        says=r""
        r"(?P<when>when(?:ever)? i say\s[\"'\u201c\u2018]?(?P<said>[^\n,;.!?\"\u201d]{1,40}?)[\"'\u201d\u2019]?),?\s"
        r"i (?:always )?mean\s(?P<meant>[^\n;.!?]{2,80})",
        gives='take "{said}" as {meant}',
        confidence=0.9,
        example=('Whenever I say "asap" I mean within the hour.', 'Take "asap" as within the hour.'),
        counter="When I say so I should know.",
    ),
    Pattern(
        name="only_when_you",
        says=rf"{POLITE}?(?P<rule>only\s(?:use|cite|quote|give|suggest|recommend|show|trust|"
        rf"rely on)\s[^\n,;.!?]{{3,60}}?)"
        rf"\s(?P<when>when(?:ever)?\syou\s[^\n,;.!?]{{3,60}})",
        confidence=0.85,
        example=(
            "Only use official sources when you look things up for me.",
            "Only use official sources.",
        ),
        counter="They only use official sources when you ask.",
    ),
    Pattern(
        name="in_such_texts",
        says=rf"(?:in|for)\s(?:all\s|your\s|all\syour\s|my\s)?(?P<kind>summaries|emails?|e-mails?|letters|reports|"
        rf"replies|"
        rf"answers|"
        rf"recipes|itineraries|lists|code|translations|minutes|"
        rf"examples),?\s{{1,2}}{POLITE}?(?P<rule>(?:always\s|never\s)?"
        rf"(?:leave|use|"
        rf"put|write|"
        rf"keep|include|give|avoid|start|do not|don'?t|show|list|mark|name|cite|skip)\s[^\n;.!?]{{3,100}})",
        confidence=0.8,
        example=(
            "In summaries, leave out the names of my clients.",
            "Leave out the names of the user's clients.",
        ),
        counter="In summaries, the names of my clients are wrong.",
    ),
    Pattern(
        name="habit",
        says=rf"{POLITE}?(?:make it a (?:habit|rule) to|get into the habit of|(?:please\s)?remember to always|"
        rf"always remember "
        rf"to)\s"
        r"(?P<rule>[^\n;.!?]{3,120})",
        confidence=0.85,
        example=("Make it a habit to ask me for the budget first.", "Ask the user for the budget first."),
        counter="I make it a habit to run.",
    ),
    Pattern(
        name="treat_as",
        says=r"(?:please\s)?(?P<rule>(?:treat|consider|keep)\s(?:everything|anything|whatever|"
        r"all(?: that)?)\si\s[^\n;.!?]{3,80}?"
        r"\s(?:as\s)?(?:private|confidential|secret|between us))\b",
        confidence=0.85,
        example=(
            "Treat everything I tell you about my health as private.",
            "Treat everything they tell you about the user's health as private.",
        ),
        counter="They treat everything I say as private.",
    ),
    Pattern(
        name="told_before",
        says=r"i(?:'ve| have)?\s(?:asked|told) you (?:before|already|many times|twice|last time|"
        r"so often)\s(?P<negation>not )?to\s"
        r"(?P<rule>[^\n;.!?]{3,120})",
        gives="{negation}{rule}",
        confidence=0.85,
        example=("I asked you before to use the 24 hour clock.", "Use the 24 hour clock."),
        counter="I asked her before to use the clock.",
    ),
)
