"""How users say what answers should be like, by what is wished for or set against what is not."""

from typing import Final

from sagacity.learning.rules.manner import (
    LANGUAGE,
    MANNER,
    MEASURE,
    OF_CODE,
    REPLIES,
    REPLY_WORDS,
    SOMEWHAT,
    TRAIT,
    VARIETY,
)
from sagacity.learning.rules.pattern import BY_ITSELF, PLEASE, POLITE, Pattern

_DEGREE = (
    r"(?:short(?:er)?|brief(?:er)?|concise|simpl(?:e|er)|long(?:er)?|plain(?:er)?|direct|honest|detailed|blunt|easy|"
    r"clear(?:er)?|small(?:er)?|friendly|formal|informal|casual|professional|neutral|gender-neutral|inclusive|light|"
    r"conversational|complete|minimal|readable|critical|step[- ]by[- ]step|one[- ](?:sentence|word|line)|"
    r"(?:two|three|\d+)[- ](?:sentence|word|line)|yes[- ]or[- ]no|in-depth|practical|everyday)"
)
_WRITING = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|sentences?|summaries|paragraphs?|words?|language|"
    r"tone|"
    r"style|voice|terms|wording|feedback|intro(?:duction)?s?|examples|lists|code(?: examples| snippets| samples)?|"
    r"variable names|commit messages|instructions|register)"
)
_OVER = r"(?:\s(?:over|rather than|instead of|and not|not)\s[^\n,;.!?]{3,40}|,\s(?:not|no)\s[^\n,;.!?]{3,40})"
_SET_DOWN = (
    r"(?:code|commits?|commit messages|tests|unit tests|comments|docstrings|variables?(?: names)?|functions?|"
    r"function names|classes|numbers|dates|times|prices|amounts|units|acronyms|abbreviations|technical terms|"
    r"foreign words|steps|lists|lines|names|titles|headings|quotes|sources|tables|examples|answers|replies|responses|"
    r"measurements|temperatures|distances|currencies|images|charts|links|paragraphs|imports|percentages|"
    r"file names|error messages|sql|queries|keywords)"
)
_THESE = (
    r"(?![^\n]*\b(?:this|that|these|those|it|here|above|below|attached|so far|for (?:my|a|an|the|our)|to "
    r"(?:my|a|the)|of (?:my|the)|(?:in|on|from) (?:my|our|the (?!same|imperative|present|past|active|end|beginning|"
    r"first "
    r"person|third person))|"
    r"first (?:two|three)|second)\b)"
)
"""Nothing in the sentence points at what lies before the agent at the moment."""
_LEADING = (
    r"the\s(?:short\s|main\s|direct\s|actual\s|final\s|key\s)?(?:answer|conclusion|bottom line|result|summary|"
    r"short version|gist|key points?|main point|takeaways?|most important(?:\s\w+)?|tl;?dr)"
)
_MISTAKES = r"(?:my\s(?:\w+\s)?(?:grammar|spelling|english|mistakes|errors|typos|pronunciation|language)|me)"

STYLE: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="keep_so",
        says=rf"{POLITE}{{0,2}}(?P<rule>keep\s(?:(?:the|your|all|all your)\s)?(?:(?:tone|language|style|wording|"
        rf"explanations?|answers?|repl(?:y|ies)|responses?|messages|paragraphs|sentences|lists|code(?: examples| "
        rf"snippets| samples)?|commit messages|functions|summaries)\s(?:{SOMEWHAT}(?:{TRAIT}|{_DEGREE})|"
        rf"(?:to|under|below|within|at)\s(?:[^\n,;.!?]{{0,12}}?)(?:\d+|one|two|three|four|five|six|ten|a few|a "
        rf"single)\s"
        rf"\w+(?:\s(?:each|max|long|maximum|or less|or fewer))?)|things\s{SOMEWHAT}(?:{TRAIT}|{_DEGREE})(?:\s(?:for|"
        rf"with) me)?))"
        rf"(?=\s*(?:[.!?]*$|,|{PLEASE}))",
        confidence=0.75,
        example=("Keep explanations to two sentences.", "Keep explanations to two sentences."),
        counter="Keep the title under ten words.",
    ),
    Pattern(
        name="use_so",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:write|give(?: me)?)\s{_DEGREE}\s(?:{REPLIES}|paragraphs)(?<=s)|"
        rf"(?:use|write|stick (?:to|with)|write in|speak in|say it in|adopt)\s(?:an?\s)"
        rf"?(?:(?:{SOMEWHAT}(?:{_DEGREE}|{TRAIT})\s(?:and {_DEGREE}\s)?{_WRITING})|(?:fewer|less|more)\s"
        rf"(?:{REPLY_WORDS}|{_WRITING})|{VARIETY}(?:english|spelling)|plain words|paragraphs|complete sentences|"
        rf"(?:they|she|he)/(?:them|her|him)(?: pronouns)?(?: for me)?|my\s(?:nickname|first name|pronouns|title)|"
        rf"pronouns))(?:\s(?:in|for|with)\s(?:your|all|every|me)\b[^\n,;.!?]{{0,30}})?{BY_ITSELF}",
        confidence=0.75,
        example=("Use a friendly tone.", "Use a friendly tone."),
        counter="Use a friendly tone in the letter to my landlord.",
    ),
    Pattern(
        name="use_not",
        says=rf"{POLITE}{{0,2}}(?P<rule>use\s(?:the\s)?(?:{OF_CODE}|{MEASURE}|{VARIETY}(?:english|spelling)|"
        rf"{LANGUAGE}|"
        rf"{MANNER}|short sentences|\"[^\"\n]{{1,20}}\"(?: for me)?),?\s(?:and not|not|instead of|rather than|over|"
        rf"never)\s"
        rf"{_THESE}[^\n,;.!?]{{1,40}}(?:,?\s(?:for|in)\s(?:all |any |my |your )?[^\n,;.!?]{{3,30}})?){BY_ITSELF}",
        confidence=0.8,
        example=("use pnpm instead of npm", "Use pnpm instead of npm."),
        counter="They use pnpm instead of npm.",
    ),
    Pattern(
        name="use_for",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:use|prefer|default to|stick to|stick with)\s(?:the\s)?(?:{OF_CODE}|"
        rf"{MEASURE}|"
        rf"{VARIETY}(?:english|spelling)|{LANGUAGE}|{MANNER})(?:\s(?:units?|system|format|measurements))?"
        rf"(?:\s(?:for|in|as)\s(?:(?:all|any|every|your|my)\s)?(?:{_SET_DOWN}|scripts|{REPLIES}|recipes|"
        rf"projects|everything|the default|default))){BY_ITSELF}",
        confidence=0.75,
        example=("Use pytest for tests.", "Use pytest for tests."),
        counter="Use pytest for this.",
    ),
    Pattern(
        name="use_measure",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:use|stick to|stick with|convert (?:everything )?to|default to)\s(?:the\s)?"
        rf"{MEASURE}(?:\s(?:units?|system|format|measurements))?){BY_ITSELF}",
        confidence=0.75,
        example=("Remember to use metric.", "Use metric."),
        counter="Use pounds of butter.",
    ),
    Pattern(
        name="set_down_so",
        says=rf"{POLITE}{{0,2}}{_THESE}(?P<rule>(?:write|format|put|name|sort|order|wrap|spell out|define|explain|"
        rf"round|"
        rf"number|show|give|quote|label|indent|include|add|link|express|capitali[sz]e|cite|mark|describe|state|list|"
        rf"document|comment|structure|break up|test|translate|pronounce)\s(?:me\s)?(?:all\s|any\s|your\s|all your\s|"
        rf"every\s|large\s|long\s|both\s)?{_SET_DOWN}(?:\s(?:in|at|as|with|without|by|on|to your|for every|for each|"
        rf"for all|"
        rf"alphabetically|chronologically|clearly|the first time|separately|first|last|inline|like)"
        rf"\b[^\n,;.?!]{{0,40}})"
        rf"(?<!\bfor)){BY_ITSELF}",
        confidence=0.75,
        example=("Sort lists alphabetically.", "Sort lists alphabetically."),
        counter="Sort lists alphabetically in this file.",
    ),
    Pattern(
        name="your_own",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:number|explain|show|check|double[- ]check|verify|cite|label|justify|"
        rf"shorten|"
        rf"simplify|structure|format|make|back up)\s(?:all\s)?your\s(?:steps|work|working|reasoning|sources|facts|"
        rf"math|"
        rf"maths|calculations|numbers|assumptions|answers?|replies|responses|claims|code|explanations)"
        rf"(?:\s{_THESE}(?:as|in|with|easy|short|before|carefully|clearly|twice|always|shorter|simple|simpler|"
        rf"more)\b[^\n,;.!?]{{0,40}})?)"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("Number your steps.", "Number your steps."),
        counter="Number your steps in the diary.",
    ),
    Pattern(
        name="spell_out",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:spell out|define|explain|expand|avoid|limit|minimi[sz]e)\s(?:all\s|any\s|"
        rf"the\s)?"
        rf"(?:{MANNER}|clich\w+|puns|foreign words))(?:\s(?:in (?:your|all)\s\w+|where possible|at all costs))"
        rf"?{BY_ITSELF}",
        confidence=0.75,
        example=("Spell out abbreviations.", "Spell out abbreviations."),
        counter="Avoid the second summary.",
    ),
    Pattern(
        name="answer_in_form",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:answer|reply|respond|write|talk|speak)\s(?:to me\s)?(?:(?:only\s)"
        rf"?in\s(?:the\s)?"
        rf"(?:{VARIETY}?{LANGUAGE}|same language|language)\b(?:\s(?:that\s)?i\s[^\n,;.!?]{{2,20}})?|(?:first|in "
        rf"short),\s"
        rf"[^\n;.!?]{{5,40}}|with (?:a )?(?:yes or no|yes/no|the (?:answer|result|conclusion))(?:\sfirst)"
        rf"?,?\s?(?:then|and)?"
        rf"[^\n;.!?]{{0,40}})){BY_ITSELF}",
        confidence=0.75,
        example=("Reply in the same language I write in.", "Reply in the same language the user writes in."),
        counter="Reply to Tom in the same language.",
    ),
    Pattern(
        name="answer_first",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:(?:start|begin|lead|open)\s(?:off\s)?with\s{_LEADING}|(?:put|give(?: me)?|"
        rf"state|say|show)\s{_LEADING}\s(?:first|up front|upfront|at the (?:top|start|beginning|end)|last))"
        rf"(?:,?\s(?:then|and then|and)\s[^\n,;.!?]{{3,40}})?){BY_ITSELF}",
        confidence=0.75,
        example=("Put the conclusion first.", "Put the conclusion first."),
        counter="Put the summary on slide two.",
    ),
    Pattern(
        name="to_the_point",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:get|come|go|stick|cut)\s(?:straight\s|right\s|directly\s)?to\s(?:the "
        rf"point|"
        rf"the chase|the facts|facts|the question|the topic|what i ask(?:ed)?)(?:\s(?:faster|quickly|sooner))?)"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("Just get straight to the point.", "Get straight to the point."),
        counter="Get to the point on the map.",
    ),
    Pattern(
        name="only_such_form",
        says=rf"(?:{PLEASE},?\s)?(?:(?:just|only)\s(?:the\s)?(?P<wanted>code|answers?|facts|commands?|bullet points|"
        rf"bullets|"
        rf"result),?\s(?:please,?\s)?(?:no|without|not)\s[^\n;.!?]{{3,40}}|(?P<form>(?:code|answers|facts|bullet "
        rf"points|bullets|"
        rf"{MEASURE}|(?:one|two|three)[- ](?:sentence|word|line) {REPLIES}|"
        rf"{_DEGREE} {REPLIES}))(?:\sonly)(?:,?\s{PLEASE})?){BY_ITSELF}",
        gives="give only {wanted}{form}",
        confidence=0.75,
        example=("Bullet points only.", "Give only bullet points."),
        counter="Bullet points only work on slides.",
    ),
    Pattern(
        name="short_please",
        says=rf"(?:{PLEASE},?\s)?(?P<wanted>(?:(?:a bit|a little|much|even|way)\s)?(?:(?:shorter|longer|simpler|"
        rf"briefer|"
        rf"clearer|more (?:concise|detailed|direct)|less (?:formal|technical|wordy|verbose)|{_DEGREE})"
        rf"\s(?:{REPLIES}|words|language|"
        rf"paragraphs)|(?:less|more)\s{REPLY_WORDS}\sin (?:your|the) {REPLIES})),?\s(?:{PLEASE}|only)\s*[.!]*$",
        gives="give {wanted}",
        confidence=0.75,
        example=("Shorter sentences, please.", "Give shorter sentences."),
        counter="Shorter sentences make sense.",
    ),
    Pattern(
        name="less_so",
        says=rf"(?:{PLEASE},?\s)?(?:(?:a bit|a little|much)\s)?(?P<much>less|more)\s(?P<manner>{TRAIT})"
        rf",?\s{PLEASE}\s*[.!]*$",
        gives="be {much} {manner}",
        confidence=0.75,
        example=("Less formal, please.", "Be less formal."),
        counter="Less formal wear, please.",
    ),
    Pattern(
        name="all_in",
        says=rf"(?:{PLEASE},?\s)?(?:i (?:want|need|prefer)\s)?(?P<rule>(?:everything|all\s(?:your\s|the\s)"
        rf"?(?:{_SET_DOWN}|{REPLIES}))\s(?:in|as|with)\s"
        rf"{_THESE}(?!order\b|one\b)[^\n,;.?!]{{2,30}}?){BY_ITSELF}",
        gives="give {rule}",
        confidence=0.75,
        example=("All answers in Spanish.", "Give all answers in Spanish."),
        counter="All answers in the book were wrong.",
    ),
    Pattern(
        name="measure_please",
        says=rf"(?:{PLEASE},?\s)?(?P<rule>(?:large\s)?(?:dates|times|prices|amounts|numbers|distances|temperatures|"
        rf"weights|"
        rf"quantities|measurements)\s(?:in|as|with)\s{_THESE}[^\n,;.?!]{{2,30}}?),?\s{PLEASE}\s*[.!]*$",
        gives="give {rule}",
        confidence=0.75,
        example=("Times in CET, please.", "Give times in CET."),
        counter="Times in the second column, please.",
    ),
    Pattern(
        name="language_please",
        says=rf"(?:(?:only\s)?in\s)?{VARIETY}?(?P<language>{LANGUAGE}),?\s{PLEASE}\s*[.!]*$",
        gives="answer in {language}",
        confidence=0.75,
        example=("In English, please.", "Answer in English."),
        counter="In English class, please.",
    ),
    Pattern(
        name="wants_such",
        says=rf"i(?:'d| would)?\s(?:(?:really|much|strongly|generally|also)\s)?(?:(?:prefer|like|love|appreciate|"
        rf"value|favou?r|"
        rf"want|need|expect)\s(?P<wanted>(?:(?:very|more|only|really)\s)?(?:{_DEGREE}|critical|constructive)\s"
        rf"{_WRITING}(?<!code)|{VARIETY}english|directness|brevity|bluntness|conciseness|candou?r)|(?:prefer|like|"
        rf"love)"
        rf"\s(?P<rather>{MANNER}|(?<=prefer\s)(?:{REPLY_WORDS}|"
        rf"{REPLIES}|{MEASURE})(?:\s(?:in|with|without|as)\s[^\n,;.!?]{{3,40}})?|(?:code|{REPLIES})\s(?:in|with|"
        rf"without|as)\s"
        rf"[^\n,;.!?]{{3,40}}))(?:\s(?:from you|in your {REPLIES}))?{_OVER}?(?=\s*(?:[.!]*$|,?\sbecause\b|"
        rf",?\s(?:since|as|so)\b|"
        rf",\s|{PLEASE}))",
        gives="give {wanted}{rather}",
        confidence=0.75,
        example=("I'd prefer shorter answers.", "Give shorter answers."),
        counter="I'd prefer shorter days.",
    ),
    Pattern(
        name="likes_it_so",
        says=rf"i(?:'d| would)?\s(?:like|prefer|want|need)\s(?:it|things|them|everything)\s(?:to be\s)?(?P<how>"
        rf"{SOMEWHAT}{TRAIT}(?:\sand\s{SOMEWHAT}{TRAIT})?)(?:\splease)?{BY_ITSELF}",
        gives="keep it {how}",
        confidence=0.75,
        corrects=True,
        example=("I like it dry and factual.", "Keep it dry and factual."),
        counter="I like it cold in winter.",
    ),
    Pattern(
        name="likes_mine_so",
        says=rf"i\s(?:like|prefer|want|need|love)\s(?:my|your|the)\s(?P<rule>(?:answers|replies|responses|"
        rf"explanations|"
        rf"summaries|code|recipes|feedback)\s(?:to be\s)?(?:{SOMEWHAT}(?:{TRAIT}|{_DEGREE})|in\s[^\n,;.!?]{{3,30}}|"
        rf"with(?:out)?\s[^\n,;.!?]{{3,30}})(?:\sand {TRAIT})?){BY_ITSELF}",
        gives="keep {rule}",
        confidence=0.75,
        example=("I like my answers short.", "Keep answers short."),
        counter="I like my coffee short.",
    ),
    Pattern(
        name="allowed_so",
        says=rf"(?:you (?:can|may)|feel free to|don'?t be (?:afraid|shy) to|do not be afraid to)"
        rf"\s(?P<rule>be\s{SOMEWHAT}"
        rf"{TRAIT}(?:\swith me)?|(?:disagree|argue) with me|correct me|push back|challenge me|criticise me|"
        rf"criticize me|"
        rf"swear|curse|joke(?: with me)?|contradict me|say no(?: to me)?|interrupt me)(?:\s(?:when|if)"
        rf"\s[^\n,;.!?]{{3,50}})?"
        rf"(?=\s*(?:[.!]*$|,|{PLEASE}))",
        gives="you may {rule}",
        confidence=0.75,
        example=("Feel free to be blunt.", "You may be blunt."),
        counter="Feel free to be late.",
    ),
    Pattern(
        name="corrects_me",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:(?:correct|fix|point out)\s{_MISTAKES}(?!\sif i\b)(?:\s(?:when(?:ever)?|"
        rf"if|as|every "
        rf"time)\s(?:i|"
        rf"you|we)\b[^\n,;.!?]{{2,50}})?|(?:tell|stop|warn)\sme\s(?:when(?:ever)?|if)\si(?:'m| am|\smake|\sget|"
        rf"\ssay)\s"
        rf"(?:wrong|mistaken|(?:a |any )?mistakes?|something wrong|being unreasonable|an? error|it wrong)|(?:push "
        rf"back|"
        rf"disagree)(?:\s(?:on me|with me))?(?:\s(?:when|if|on)\s[^\n,;.!?]{{3,50}})?|challenge\s(?:me|my\s(?:ideas|"
        rf"assumptions|thinking|views|arguments|opinions))(?:\s(?:when|if)\s[^\n,;.!?]{{3,50}})?|play (?:the "
        rf")?devil's "
        rf"advocate)){BY_ITSELF}",
        confidence=0.75,
        example=(
            "Correct my grammar when I make mistakes.",
            "Correct the user's grammar when they make mistakes.",
        ),
        counter="Correct my grammar in the letter.",
    ),
    Pattern(
        name="address_me",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:refer to|address|introduce|sign)\sme\s(?:only\s)?(?:as|by|with)"
        rf"\s[^\n,;!?]{{2,40}}?)"
        rf"{BY_ITSELF}",
        confidence=0.8,
        example=("Refer to me as Captain.", "Refer to the user as Captain."),
        counter="They refer to me as Captain.",
    ),
    Pattern(
        name="rather_you_did",
        says=rf"(?:i(?:'d| would)\s(?:really\s)?(?:prefer|rather|appreciate|like|love)\s(?:it\s)?(?:if\s)?|it(?:'s| "
        rf"is|'d be| would be| "
        rf"would)\s(?:help|better|nicer?|great|easier)(?: for me| me)?\s(?:a lot )?if\s)you\s(?P<done>used|asked|"
        rf"explained|"
        rf"included|gave|showed|kept|wrote|answered|skipped|avoided|warned|told|checked|confirmed)"
        rf"\s(?P<rest>(?:me\s)?(?:first|"
        rf"(?:[^\n,;.!?]{{0,40}}?)\b(?:before\s(?:you\b|\w+ing\b)[^\n,;.!?]{{2,50}}|{REPLY_WORDS}|{_WRITING}|"
        rf"{MEASURE}|{LANGUAGE})))"
        rf"{BY_ITSELF}",
        gives="{done} {rest}",
        confidence=0.75,
        example=("I'd rather you asked me before changing files.", "Ask the user before changing files."),
        counter="I'd rather you asked him.",
    ),
    Pattern(
        name="rather_you_were",
        says=rf"(?:i(?:'d| would)\s(?:really\s)?(?:prefer|rather|appreciate|like|love)\s(?:it\s)?(?:if\s)?|it(?:'d "
        rf"be| would be| would)\s"
        rf"(?:help|better|nicer?|great)\sif\s)you\s(?:were|are|could be|would be)"
        rf"\s(?P<how>{SOMEWHAT}{TRAIT}(?:\swith me)?)"
        rf"{BY_ITSELF}",
        gives="be {how}",
        confidence=0.8,
        example=("I'd prefer it if you were more direct.", "Be more direct."),
        counter="I'd prefer it if you were there.",
    ),
    Pattern(
        name="helps_when_you",
        says=rf"it(?:'s| is)?\s(?:really\s)?(?:helps|better|easier|best)(?: for me| me)?\s(?:a lot )?(?:when|if)"
        rf"\syou\s(?P<rule>(?:"
        rf"use|ask|explain|include|give|show|keep|write|answer|warn|start|end|add)\s(?:me\s)?(?:first|"
        rf"(?:[^\n,;.!?]{{0,40}}?)"
        rf"\b(?:before\s(?:you\b|\w+ing\b)[^\n,;.!?]{{2,50}}|{REPLY_WORDS}|{_WRITING}|{MEASURE}|{LANGUAGE})))"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("It helps me when you use analogies.", "Use analogies."),
        counter="It helps me when you are there.",
    ),
    Pattern(
        name="sure_that",
        says=rf"(?:{PLEASE}\s)?(?P<rule>make sure (?:that )?(?:all\s)?(?:your\s|all your\s)(?:answers?|replies|"
        rf"responses|code|"
        rf"examples|explanations|sources|messages|suggestions|recommendations|recipes)\s(?:is|are|has|have|fits?|"
        rf"includes?|"
        rf"uses?|follows?|contains?|works?|compiles?|don't|doesn't)\b[^\n;.!?]{{2,80}}){BY_ITSELF}",
        confidence=0.75,
        example=("Make sure your code has tests.", "Make sure your code has tests."),
        counter="Make sure your passport is valid.",
    ),
    Pattern(
        name="how_sure",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:(?:say|tell me|state|show|indicate)\show\s(?:sure|confident|certain)"
        rf"\syou\sare|"
        rf"(?:give|state|show|include)\s(?:me\s)?your confidence(?: level)?)(?:\s(?:with|in|"
        rf"for)\s[^\n,;.!?]{{3,30}})?)"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("Say how confident you are.", "Say how confident you are."),
        counter="Say how confident you are in the interview, dad asked.",
    ),
    Pattern(
        name="limited_to",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:limit|restrict)\s(?:yourself|(?:your|all|all your)\s{REPLIES})"
        rf"\sto\s[^\n,;.!?]{{3,30}})"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("Limit yourself to three options.", "Limit yourself to three options."),
        counter="Limit the list to three options.",
    ),
    Pattern(
        name="examples_from",
        says=rf"{POLITE}{{0,2}}(?P<rule>use\s(?:examples|metaphors|analogies|comparisons)\s(?:from|about)\s{_THESE}"
        rf"(?!the\b|my\b|chapter|section|page)\w+(?:\sto explain (?:things|everything)|\swhen you "
        rf"explain\b[^\n,;.!?]{{0,30}})?)"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("Use examples from football.", "Use examples from football."),
        counter="Use examples from chapter two.",
    ),
    Pattern(
        name="when_it_helps",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:use|add|include|give|explain|define)\s{REPLY_WORDS}\swhen(?:ever)"
        rf"?\s(?:you\b|it\b|\w+ing\b)"
        rf"[^\n,;.!?]{{2,50}}){BY_ITSELF}",
        confidence=0.75,
        example=("Use tables when comparing things.", "Use tables when comparing things."),
        counter="They use tables when comparing things.",
    ),
    Pattern(
        name="if_unsure",
        says=rf"(?P<when>(?:if|when(?:ever)?)\s(?:you(?:'re| are)?\s(?:not sure|unsure|uncertain|aren't sure|don'?t "
        rf"know|do not know|"
        rf"cannot|can'?t|need more|don'?t understand|make a mistake|get stuck|stuck|wrong|guessing|don'?t have)|in "
        rf"doubt|"
        rf"(?:something|"
        rf"anything|my question|a request|a question)(?:'s| is)\s(?:unclear|ambiguous|not clear|vague|missing))"
        rf"[^,;:?!\n]{{0,60}}),\s+{POLITE}{{0,2}}(?P<rule>(?:say|tell|ask|admit|let|stop|don'?t|do not|never|just)\b"
        rf"(?!\shim|\sher\b|\sthem|\syour|\sthe\b)[^\n;.?!]{{0,100}})",
        gives="{rule} {when}",
        confidence=0.8,
        example=("If you don't know, say so.", "Say so if you don't know."),
        counter="If you don't know, ask your doctor.",
    ),
    Pattern(
        name="ask_first",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:(?:ask|check|confirm)(?: with me| me)?\sbefore\s(?:you\s)?(?:run|delet|"
        rf"chang|edit|install|"
        rf"send|book|buy|commit|push|deploy|start|mak|creat|remov|overwrit|execut|schedul|post|spend|order|do)\w*\b"
        rf"[^\n,;.!?]{{0,60}}|think\s[^\n,;.!?]{{0,30}}?before\s(?:you (?:answer|reply|respond)|answering|replying|"
        rf"responding)|"
        rf"ask\s(?:me\s)?(?:clarifying\s)?questions\s(?:if|when(?:ever)?)\s(?:you|something|anything|my|it)"
        rf"\b[^\n,;.!?]{{3,60}}|"
        rf"(?:confirm|check)\swith me(?:\sfirst)?)){BY_ITSELF}",
        confidence=0.75,
        example=("Ask before you run anything.", "Ask before you run anything."),
        counter="They ask before you run anything.",
    ),
    Pattern(
        name="at_a_time",
        says=rf"(?:{POLITE}|i (?:only |just )?(?:want|need)\s)?(?:only\s|just\s|at most\s|max(?:imum)?\s|no more "
        rf"than\s)?(?P<what>(?:only\s|at "
        rf"most\s)?(?:one|two|three|\d)\s(?:suggestion|option|idea|recommendation|question|example|choice|topic|"
        rf"step|sentence|paragraph|bullet point|line)s?\s(?:at a "
        rf"time|per (?:answer|message|reply|response|request)|each time|max(?:imum)?)){BY_ITSELF}",
        gives="give {what}",
        confidence=0.75,
        example=("I only want one suggestion at a time.", "Give one suggestion at a time."),
        counter="I only want one suggestion for dinner.",
    ),
    Pattern(
        name="at_most",
        says=rf"{PLEASE}?,?\s?(?P<what>(?:max\.?|maximum|at most|no more than|not more than|up "
        rf"to)\s(?:of\s)?(?:one|two|three|four|five|ten|"
        rf"\d{{1,3}})\s(?:short\s)?(?:sentence|paragraph|bullet point|bullet|line|word)s?(?:\s(?:per|in each|in "
        rf"every|for each|for every) "
        rf"(?:answer|message|reply|response))?){BY_ITSELF}",
        gives="give {what}",
        confidence=0.7,
        corrects=True,
        example=("max 3 sentences", "Give max 3 sentences."),
        counter="max 3 people",
    ),
    Pattern(
        name="from_now_wants",
        says=rf"(?:from now on|from here on|going forward|in (?:the )?future),?\s(?:i\s(?:want|need|expect|prefer|"
        rf"would like)\s|"
        rf"i'd (?:like|prefer)\s|no more\s|only\s)(?P<wanted>(?:(?:only|all|your|my|the)\s)?(?:[^\n,;.!?]{{0,20}}?)"
        rf"\b(?:{REPLIES}|"
        rf"{REPLY_WORDS}|code)\b[^\n,;.!?]{{0,40}})",
        gives="give {wanted}",
        confidence=0.85,
        example=("From now on I want answers in Italian.", "Give answers in Italian."),
        counter="From now on I want to live in Italy.",
    ),
)
"""Tried after `conduct.CONDUCT`: each names, in its own words, what it is about."""
