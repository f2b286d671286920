"""The table of phrasings in which users tell an agent how to act."""

from typing import Final

from sagacity.domain.base import Value

VERBS = (
    r"(?:use|keep|show|explain|ask|include|structure|give|provide|offer|verify|check|review|skip|start|"
    r"write|avoid|call|email|text|send|put|add|list|present|make|stick|focus|speak|respond|answer|reply|"
    r"format|cite|remember|confirm|double[- ]check|tell|let|mention|suggest|recommend|address|refer|assume|"
    r"wait|run|test|return|convert|summari[sz]e|proactively|only|prefer|limit|follow|remind|translate|talk|"
    r"be|get|just|look|search|leave|do(?!\s(?:you|i|we|they))|state|warn|break|number|quote|end|begin|stop|"
    r"never|always|don't|do not|consider|treat|ensure|share|set|update|create|walk|trust|propose|track|"
    r"round)"
)
BODY = r"(?P<rule>[^\n]{3,260})"
STANDING = (
    r"(?:in (?:the )?future|from now on|from here on(?: out)?|going forward|moving forward|"
    r"next time(?: around)?|for next time|henceforth|for (?:all )?(?:future|later) (?:\w+)|"
    r"in (?:all )?future (?:\w+)|every time|whenever you)"
)
POLITE = (
    r"(?:(?:please|pls|plz)[,\s]+|(?:can|could|would|will) you(?: please)?\s|i(?:'d| would) (?:like|love|want|prefer|"
    r"appreciate it if) you (?:to |could )?|i (?:want|need) you to\s|you should\s|kindly\s|just\s|i(?:'d|"
    r" would)(?: also| really)? appreciate it if you (?:could |would )?|it would be (?:great|"
    r"nice) if you (?:could )?)"
)


MANNER = (
    r"(?:emojis?|emoticons|bullet points?|bullets|jargon|apologies|disclaimers?|headings|exclamation (?:marks|points)|"
    r"small talk|filler|em[- ]dashes|markdown|buzzwords|clich[e\u00e9]s|slang|abbreviations|acronyms|hashtags|"
    r"greetings|introductions|preambles?|summaries|code comments)"
)
"""What a reply has or has not, whatever it is about."""
LANGUAGE = (
    r"(?:english|german|french|spanish|portuguese|italian|dutch|polish|turkish|japanese|chinese|korean|russian|arabic|"
    r"hindi|swedish|danish|norwegian|finnish|greek|czech|ukrainian)"
)
REPLIES = r"(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|sentences|summaries)"
_NOT = r"(?:do not|don'?t|stop|quit|avoid|never)"
_AGAIN = (
    r"(?:\s(?:to me|for me|with me|anymore|any more|again|ever|so much|so often|every time|each time|all the time|"
    r"constantly|at all))"
)
_BY_ITSELF = r"(?=,?\s*(?:please|pls|plz|thanks|thx|thank you|ok(?:ay)?)?\s*[.!]*$)"
"""The end of what is said: more behind it would be the task of the moment."""


class Pattern(Value):
    """One way of giving an instruction."""

    name: str
    says: str
    gives: str = "{rule}"
    """The rule, as a template over the named groups of *says*; `when` says when it applies."""
    confidence: float
    corrects: bool = False
    """Whether it only counts after an answer of the agent."""
    example: tuple[str, str]
    """A sentence, and the rule that it gives."""
    counter: str
    """A sentence that looks alike and gives nothing."""


PATTERNS: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="standing",
        says=rf"{STANDING}\b[,:]?\s+{POLITE}{{0,2}}(?:always\s)?(?={VERBS}\b){BODY}",
        confidence=0.9,
        example=(
            "And going forward, skip the introductory explanations.",
            "Skip the introductory explanations.",
        ),
        counter="In the future I will travel more.",
    ),
    Pattern(
        name="standing_when",
        says=rf"{STANDING}\b[,:]?\s+(?P<when>(?:when|whenever|if|before|"
        rf"after)\s[^,;:?!]{{3,100}}),\s+{POLITE}{{0,2}}(?={VERBS}\b){BODY}",
        confidence=0.9,
        example=(
            "In the future, when I report a problem with an order, could you review all the items on it?",
            "Review all the items on it.",
        ),
        counter="In the future, when I retire, we will see.",
    ),
    Pattern(
        name="standing_behind",
        says=rf"{POLITE}{{0,2}}(?={VERBS}\b)(?P<rule>[^\n,?]{{3,120}}?)[,\s]+(?:{STANDING}(?=\s*[.!,;]|\s*$|"
        rf"\s[-\u2013\u2014])|(?!in (?:the )?future){STANDING}(?=\s*\?))",
        confidence=0.9,
        example=("Please keep answers under three lines from now on.", "Keep answers under three lines."),
        counter="I will keep my answers short from now on.",
    ),
    Pattern(
        name="always",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:always|never)\s(?={VERBS}\b)[^\n]{{3,260}})",
        confidence=0.9,
        example=(
            "One more thing - always provide code examples rather than descriptions.",
            "Always provide code examples rather than descriptions.",
        ),
        counter="I always provide code examples.",
    ),
    Pattern(
        name="always_when",
        says=rf"{POLITE}{{0,2}}(?P<rule>always\s(?={VERBS}\b)[^\n]{{3,260}})",
        confidence=0.85,
        example=("When you write code, can you always include comments?", "Always include comments."),
        counter="Should I always include comments?",
    ),
    Pattern(
        name="when_do",
        says=rf"(?P<when>(?:when(?:ever)?|before|after)\s(?:(?:you\s)?\w+ing\b|you\b|(?:i|we) (?:ask|report|say|"
        rf"send|share|paste|post|upload|mention|talk|write|plan|discuss|work on|cook|travel)\b|"
        rf"there)[^,;:?!]{{2,100}}),\s+{POLITE}{{0,2}}(?={VERBS}\b){BODY}",
        confidence=0.85,
        example=("When showing CLI commands, use pnpm please.", "Use pnpm."),
        counter="When showing off, people get hurt.",
    ),
    Pattern(
        name="if_asked",
        says=rf"(?P<when>(?:if|when(?:ever)?) i ask\b[^?!\n]{{2,100}}?),\"?\s*(?:i (?:want|expect|"
        rf"need)(?: you)? to|{POLITE})(?P<rule>\s?[^\n]{{3,200}})",
        confidence=0.85,
        example=(
            "If I ask how X works, I want to see the code, not a paragraph.",
            "Show the code, not a paragraph.",
        ),
        counter="If I ask her, she will tell me.",
    ),
    Pattern(
        name="use_in_all",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?={VERBS}\b)[^\n,;]{{3,80}}?\s(?:in|for|on|with|to)\s(?:all|every|"
        rf"each|any)\s(?:of\s)?(?:your\s|the\s|my\s)?(?:(?:code|future)\s)?(?:examples?|answers?|"
        rf"responses?|repl(?:y|ies)|snippets?|messages?|explanations?|emails?|code|questions?|order|"
        rf"recipes?|commands?)\b)",
        confidence=0.85,
        example=("Please use TypeScript in all examples.", "Use TypeScript in all examples."),
        counter="We use TypeScript in all projects.",
    ),
    Pattern(
        name="reply_style",
        says=r"(?:please\s)?(?P<rule>keep\s(?:(?:it|this)\s(?:short|brief|concise|"
        r"to the point)(?=\s*(?:[.!,;]|$)|\s(?:please|[-\u2013\u2014]))|(?:your|the|"
        r"all)\s(?:\w+\s){0,2}?(?:answers?|responses?|replies|explanations?|messages?|"
        r"emails?)\s(?:\w+\s)?(?:short|brief|concise|simple|under|to the point|below)\b[^\n,;]{0,60}))",
        confidence=0.7,
        corrects=True,
        example=("Keep it short -- I'm in the middle of a client project.", "Keep it short."),
        counter="I keep it short in summer.",
    ),
    Pattern(
        name="answer_length",
        says=rf"{POLITE}{{0,2}}(?P<rule>keep\s(?:your|all|all your|all of your)\s(?:\w+\s){{0,1}}?(?:answers?|"
        r"responses?|replies|explanations?|messages?)\s(?:\w+\s)?(?:short|brief|concise|simple|under|to the point|"
        r"below)\b[^\n,;]{0,60})",
        confidence=0.8,
        example=("Keep your answers under five lines, please.", "Keep your answers under five lines."),
        counter="Keep your answers to yourself.",
    ),
    Pattern(
        name="answer_manner",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:answer|reply|respond|write|speak|talk)\s(?:to me\s|me\s)?(?:briefly|"
        rf"concisely|formally|informally|(?:only\s)?in\s(?:(?:plain|simple|british|american)\s)?{LANGUAGE}|in\s(?:plain|simple)"
        rf"\s(?:words|language|terms)|in\s(?:short|complete|full)\ssentences|with\sshort\ssentences|without\s{MANNER}))"
        rf"{_BY_ITSELF}",
        confidence=0.8,
        example=("Please answer briefly.", "Answer briefly."),
        counter="Please answer briefly what a monad is.",
    ),
    Pattern(
        name="units",
        says=rf"{POLITE}{{0,2}}(?:no[,:]?\s)?(?P<rule>use\s(?:(?:the\s)?(?:metric|imperial|si)(?:\s(?:units?|system|"
        rf"measurements))|celsius|fahrenheit|kilomet(?:er|re)s|(?:the\s)?24[- ]hour (?:time|clock|format)|(?:british|"
        rf"american)\s(?:english|spelling)|plain\s(?:english|language|text)|simple\s(?:words|language|english|terms)|"
        rf"short\ssentences|inclusive\slanguage))(?:\s(?:only|throughout))?{_BY_ITSELF}",
        confidence=0.8,
        example=("Use metric units.", "Use metric units."),
        counter="Use metric units to convert this recipe.",
    ),
    Pattern(
        name="units_named",
        says=rf"(?:please,?\s)?(?P<wanted>(?:metric|imperial) units|24[- ]hour (?:time|format)|(?:british|american) "
        rf"spelling)(?:\sonly)?{_BY_ITSELF}",
        gives="use {wanted}",
        confidence=0.75,
        example=("metric units!", "Use metric units."),
        counter="Metric units are strange.",
    ),
    Pattern(
        name="no_manner",
        says=rf"(?:please,?\s)?no\s(?P<banned>(?!more\b)(?:\w+\s){{0,1}}?{MANNER})(?:\s(?:in\s(?:your|the)\s"
        rf"(?:answers?|replies|responses|messages|code)|at all|ever))?{_BY_ITSELF}",
        gives="do not use {banned}",
        confidence=0.8,
        example=("No emojis, please.", "Do not use emojis."),
        counter="No emojis were harmed.",
    ),
    Pattern(
        name="manner_allowed",
        says=rf"(?P<rule>you (?:can|may) (?:use|add|include) (?:\w+\s){{0,2}}?{MANNER})(?:\s(?:again|now))?"
        rf"{_BY_ITSELF}",
        confidence=0.85,
        example=("You can use emojis again.", "You can use emojis."),
        counter="You can use emojis in the title of this post.",
    ),
    Pattern(
        name="manner_fine",
        says=rf"(?P<what>{MANNER}) (?:is|are) (?:fine|ok|okay|all right|welcome)(?: with me)?(?: again| now)?"
        rf"{_BY_ITSELF}",
        gives="you can use {what}",
        confidence=0.85,
        example=("Emojis are fine again.", "You can use emojis."),
        counter="Emojis are fine in the title.",
    ),
    Pattern(
        name="not_manner",
        says=rf"{POLITE}?(?P<rule>(?:do not|don't|dont|stop|quit|avoid)\s(?:(?:us(?:e|ing)|add(?:ing)?|giv(?:e|ing)|"
        rf"put(?:ting)?|writ(?:e|ing)|includ(?:e|ing)|start(?:ing)? with|end(?:ing)? with)\s)(?:\w+\s){{0,2}}?{MANNER}"
        rf"(?:\s(?:in\s(?:your|the|any)\s\w+|at all|ever|with me))?){_BY_ITSELF}",
        confidence=0.85,
        example=("Stop using emojis.", "Stop using emojis."),
        counter="I stop using emojis.",
    ),
    Pattern(
        name="not_doing",
        says=rf"{POLITE}?(?P<rule>(?:do not|don't|dont|stop|quit)\s(?:(?:ever|always|constantly)\s)?(?:"
        rf"apologi[sz](?:e|ing)|rambl(?:e|ing)|lectur(?:e|ing)\sme|patroni[sz](?:e|ing)\sme|flatter(?:ing)?\sme|sugar-?coat(?:ing)?"
        rf"(?:\sthings|\sit)?|repeat(?:ing)?\s(?:yourself|my questions?|the question)|"
        rf"(?:suggest|recommend|offer)(?:ing)?\s(?!(?:that|it|them|this|these|those|any of)\b)[^\n,;.!?]{{3,60}}?)"
        rf"(?:\s(?:to me|anymore|any more|again|so much|every time|all the time))?){_BY_ITSELF}",
        confidence=0.8,
        example=("Please don't apologise.", "Don't apologise."),
        counter="They don't apologise.",
    ),
    Pattern(
        name="hates_when",
        says=r"i\s(?:really\s|absolutely\s)?(?:hate|dislike|can't stand|cannot stand|don't like)\s(?:it\s)?"
        r"when(?:ever)?\syou\s(?:always\s|keep\s)?(?P<rule>(?!are\b|were\b|can\b|have\b|get\b|feel\b|know\b|see\b|go\b|try\b|need\b)"
        r"[^\n,;.!?]{3,80})",
        gives="do not {rule}",
        confidence=0.85,
        example=("I hate it when you apologise.", "Do not apologise."),
        counter="I hate it when you can see the brush strokes.",
    ),
    Pattern(
        name="not_to_me",
        says=rf"{POLITE}?(?P<rule>{_NOT}\s(?:(?:ever|always|constantly)\s)?(?:call(?:ing)?\sme\s(?!back|later|again|"
        rf"at|on|when|tomorrow|today|if)[^\n,;.!?]{{2,40}}|thank(?:ing)?\sme|interrupt(?:ing)?\sme|(?:giv(?:e|ing)|"
        rf"offer(?:ing)?)\sme\s(?:\w+\s){{0,2}}?(?:advice|tips|lectures|warnings|disclaimers|compliments)|"
        rf"us(?:e|ing)\smy\s(?:last|full|first|real|middle|sur)\s?names?|explain(?:ing)?\s(?:the\s)?(?:basics|obvious|"
        rf"everything)|repeat(?:ing)?\s(?:my|the)\squestions?(?:\sback)?|be(?:ing)?\s(?:so|too|overly)\s\w+|"
        rf"guess(?:ing)?|assum(?:e|ing)\sthings|talk(?:ing)?\sdown|nag(?:ging)?|swear(?:ing)?)"
        rf"(?:{_AGAIN}|\sto\sme|\sme){{0,2}}(?:,\s(?:say|tell|ask|just)\b[^\n.!?]{{3,60}}?)?)"
        rf"(?=,?\s*(?:please|pls|thanks|thank you|ok(?:ay)?)?\s*(?:[.!]*$|,\s?i'?m\b|,\s?i am\b))",
        confidence=0.8,
        example=("stop calling me sir", "Stop calling the user sir."),
        counter="Don't be so sure about it, it may rain.",
    ),
    Pattern(
        name="not_mentioning",
        says=rf"{POLITE}?(?P<rule>{_NOT}\s(?:mention(?:ing)?|bring(?:ing)?\sup|talk(?:ing)?\sabout|"
        rf"ask(?:ing)?\s(?:me\s)?"
        rf"about)\s(?!(?:that|it|them|this|these|those)\b)[^\n,;.!?]{{2,60}}?{_AGAIN}){_BY_ITSELF}",
        confidence=0.85,
        example=("Do not mention my ex again.", "Do not mention the user's ex."),
        counter="They do not mention my ex again.",
    ),
    Pattern(
        name="not_without",
        says=rf"{POLITE}?(?P<rule>{_NOT}\s\w+(?:\s[^\n,;.!?]{{1,40}}?)??)\swithout\s(?:my\s(?:ok(?:ay)?|permission|"
        rf"approval|"
        rf"consent)|asking(?:\sme)?(?:\sfirst)?|checking\swith\sme|telling\sme){_BY_ITSELF}",
        gives="{rule} without the user's permission",
        confidence=0.85,
        example=("Never order without my ok.", "Never order without the user's permission."),
        counter="They never order without my ok.",
    ),
    Pattern(
        name="need_not",
        says=rf"you (?:don'?t (?:need|have) to|do not (?:need|have) to|needn'?t)\s(?P<rule>(?:thank|apologi[sz]e|"
        rf"explain|"
        rf"repeat|remind|greet|congratulate|warn|ask|say|tell)\b[^\n,;.!?]{{0,60}}?{_AGAIN}){_BY_ITSELF}",
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
        rf"\s(?:\w+\s)??{REPLIES})(?:\sonly)?{_BY_ITSELF}",
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
        rf"{_BY_ITSELF}",
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
        says=rf"in\s(?:all\s|your\s|all\syour\s|my\s)?(?P<kind>summaries|emails?|e-mails?|letters|reports|replies|"
        rf"answers|"
        rf"recipes|itineraries|lists|code|translations|minutes|"
        rf"examples),\s{{0,2}}{POLITE}?(?P<rule>(?:always\s|never\s)?"
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
    Pattern(
        name="told_already",
        says=r"i(?:'ve| have)?\s(?:just|already)\s(?:said|told you|mentioned|"
        r"explained)(?: that)?[,:]?\s(?:we|i)\s(?P<rule>(?:use|prefer|want|need)\s[^\n]{3,120})",
        confidence=0.9,
        corrects=True,
        example=("I just said we use pnpm, not npm.", "Use pnpm, not npm."),
        counter="She just said we use npm.",
    ),
    Pattern(
        name="do_not",
        says=rf"{POLITE}?(?P<rule>(?:do not|don't|stop|quit|avoid)\s(?!worry|forget|get me|mind|you\b|know|"
        rf"think|hesitate|i\b|we\b|want|need|have|be\b|even|see|understand)(?:just\s)?(?:(?:us(?:e|"
        rf"ing)|show|includ|giv|tell|ask|add|explain|suggest|recommend|assum|repeat|apologi[sz]|writ|"
        rf"generat|run|creat|delet|send|chang|mak|call|focus|put|pitch|offer|switch|skip|summari[sz]|"
        rf"mention|guess|invent|cit|overcomplicat|sugarcoat|upsell)\w*)\b[^\n]{{0,200}})",
        confidence=0.8,
        corrects=True,
        example=(
            "But please don't just generate one like you did with the webhook.",
            "Don't just generate one like you did with the webhook.",
        ),
        counter="Don't worry about it.",
    ),
    Pattern(
        name="instead",
        says=r"(?P<rule>use\s[^\n,.]{2,60}?(?:\sinstead\b(?: of [^\n,.]{2,40})?|,?\snot\s[^\n,.]{2,40}|"
        r"\srather than\s[^\n,.]{2,40}))",
        confidence=0.75,
        corrects=True,
        example=("No, use the second API, not the first.", "Use the second API, not the first."),
        counter="I use the second API, not the first.",
    ),
    Pattern(
        name="manner",
        says=r"(?:please\s|can you\s|could you\s)?(?:please\s)?(?P<rule>be\s(?:more\s|less\s)?(?:concise|"
        r"brief|specific|formal|casual|direct|verbose|detailed|succinct|terse|polite)\b[^\n,;?]{0,60}|"
        r"give me\s(?:shorter|longer|simpler|fewer|more detailed|more concise)\s[^\n,;?]{3,60})",
        confidence=0.75,
        corrects=True,
        example=("Please be more concise.", "Be more concise."),
        counter="It should be more concise.",
    ),
    Pattern(
        name="before_doing",
        says=r"(?:please\s)?(?P<rule>(?:ask|check|confirm|warn me|tell me|explain|verify|"
        r"test)\b[^\n,.]{0,60}?\sbefore\s(?:you\s\w+|\w+ing)[^\n]{2,80})",
        confidence=0.8,
        corrects=True,
        example=("Ask before deleting files.", "Ask before deleting files."),
        counter="I ask before deleting files.",
    ),
    Pattern(
        name="remember_to",
        says=rf"(?:please\s)?(?:remember|make sure) to\s(?P<rule>(?={VERBS}\b)[^\n]{{3,120}})",
        confidence=0.7,
        corrects=True,
        example=("Remember to use metric units.", "Use metric units."),
        counter="I must remember to use metric units.",
    ),
    Pattern(
        name="told_to",
        says=r"i(?:'ve| have)?\s(?:just\s|already\s)?(?:told|asked) you (?P<negation>not )?to\s"
        r"(?P<rule>[^\n]{3,120})",
        gives="{negation}{rule}",
        confidence=0.8,
        corrects=True,
        example=("I told you to use tabs.", "Use tabs."),
        counter="I told him to use tabs.",
    ),
    Pattern(
        name="asked_for",
        says=r"i(?:'ve| have)?\s(?:just\s|already\s)?asked for (?P<wanted>[^\n,]{3,60},\snot\s[^\n]{3,60})",
        gives="give {wanted}",
        confidence=0.8,
        corrects=True,
        example=("I asked for a table, not a list.", "Give a table, not a list."),
        counter="I asked for a table.",
    ),
    Pattern(
        name="no_more",
        says=r"(?:please,?\s)?(?:no more|enough with the)\s(?P<banned>(?:\w+\s){0,2}?(?:emojis?|"
        r"bullet points|bullets|jargon|apologies|disclaimers|tables|headings|exclamation marks|"
        r"small talk|filler|lists|emoticons|questions))\b",
        gives="do not use {banned}",
        confidence=0.8,
        corrects=True,
        example=("No more emojis please.", "Do not use emojis."),
        counter="No more tea please.",
    ),
    Pattern(
        name="should_have",
        says=r"you (?:(?P<negation>shouldn't|should not) |should )have (?P<done>used|shown|asked|checked|"
        r"explained|told|included|given|verified|called|mentioned|read|looked|warned|confirmed|sent|"
        r"offered)\s(?P<rest>[^\n]{3,160})",
        gives="{negation}{done} {rest}",
        confidence=0.85,
        corrects=True,
        example=("You should have checked the invoice first.", "Check the invoice first."),
        counter="You must have checked the invoice.",
    ),
    Pattern(
        name="needs_no_telling",
        says=r"i (?:don't|do not) (?:need|want) (?:to be told|you to (?:tell me|"
        r"explain))\s(?P<told>[^\n]{3,120})",
        gives="do not explain {told}",
        confidence=0.8,
        corrects=True,
        example=("I don't need to be told what Apollo Client is.", "Do not explain what Apollo Client is."),
        counter="I don't need to be there.",
    ),
    Pattern(
        name="needs_no",
        says=r"i (?:don't|do not) (?:need|want) (?P<offered>(?:an?\s|any\s|more\s)?(?:\w+\s){0,2}(?:tips?|"
        r"advice|tools?|explanations?|disclaimers?|introductions?|suggestions?|summar(?:y|ies)|"
        r"guidance|lectures?|small talk|emojis?))\b",
        gives="do not offer {offered}",
        confidence=0.8,
        corrects=True,
        example=("No, I don't want a GUI tool.", "Do not offer a GUI tool."),
        counter="I don't need a lift.",
    ),
    Pattern(
        name="simpler",
        says=r"(?:can|could|would) you(?: please)? (?P<rule>(?:use|speak in|write in|"
        r"explain with)\s(?:simple|simpler|plain|short|shorter|metric|british|american|fewer|less|"
        r"more)\s[^\n?]{3,120})",
        confidence=0.75,
        corrects=True,
        example=(
            "And could you use simple analogies like the doorbell one?",
            "Use simple analogies like the doorbell one.",
        ),
        counter="Can you use a fork?",
    ),
    Pattern(
        name="explain_along",
        says=r"(?:can|could) you (?:please )?(?P<rule>explain as you go|explain (?:what|"
        r"why) you[^\n?]{3,80})",
        confidence=0.75,
        corrects=True,
        example=("And can you explain as you go?", "Explain as you go."),
        counter="Can you explain the plot?",
    ),
)
"""All rows; of several that match in one sentence the earlier wins."""
LISTED: Final = Pattern(
    name="listed",
    says=rf"(?:(?P<when>when(?:ever)?\s[^,;:?!]{{3,100}}),\s+)?{POLITE}?(?={VERBS}\b){BODY}",
    confidence=0.85,
    example=("Second, keep responses under three sentences.", "Keep responses under three sentences."),
    counter="Second, it was late.",
)
"""An item of a list that a sentence such as "for next time:" opens; read nowhere else."""
