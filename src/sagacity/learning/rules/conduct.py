"""How users tell an agent to behave from now on, by form: what says that it holds beyond the task of the moment."""

from typing import Final

from sagacity.learning.rules.manner import (
    ABOUT_TALK,
    ADVERB,
    FORM,
    LANGUAGE,
    REPLIES,
    REPLY_WORDS,
    SOMEWHAT,
    TRAIT,
)
from sagacity.learning.rules.pattern import AGAIN, BY_ITSELF, NOT, PLEASE, POLITE, Pattern

_TALKS = (
    r"(?:ask|say|mention|send|paste|share|request|write|post|tell|give|show|upload|report|describe|talk|want|need|"
    r"type|quote|"
    r"forward|plan|discuss)"
)
_OF_THE_MOMENT = r"(?:the|this|that|these|those|it|them|my last|my first|above|below|both|another)\b"

CONDUCT: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="not_marked",
        says=rf"{POLITE}?(?P<rule>{NOT}\s(?!(?:do|say|try|be|go|let|make|get)\s(?:that|this|it|so|me)\b|worry|forget|"
        rf"know|think)"
        rf"[a-z]+\b[^\n,;.!?]{{0,80}}?(?:{AGAIN}|\s(?:unless|until) i (?:ask|say|tell|want|request|"
        rf"need)\b[^\n,;.!?]{{0,40}}|"
        rf"\sunless (?:asked|requested|told))){BY_ITSELF}",
        confidence=0.8,
        example=(
            "Don't book anything unless I ask for it.",
            "Don't book anything unless the user asks for it.",
        ),
        counter="They don't book anything unless I ask for it.",
    ),
    Pattern(
        name="not_conduct",
        says=rf"{POLITE}?(?P<rule>{NOT}\s(?:(?:ever|always|constantly|just)\s)?{ABOUT_TALK}(?![^\n,;.!?]*\b(?:in|for|"
        rf"of) "
        rf"(?:the|this|that|these)\b)(?:\s[^\n,;.!?]{{1,80}})?)(?=\s*(?:[.!]*$|,|;|\sand\b))",
        confidence=0.8,
        example=("Please don't preach.", "Don't preach."),
        counter="They don't make up sources.",
    ),
    Pattern(
        name="be_so",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:be|stay|sound)\s{SOMEWHAT}{TRAIT}(?:(?:,|\sand|"
        rf"\sbut)\s{SOMEWHAT}{TRAIT})?"
        rf"(?:\s(?:with me|to me|when you (?:answer|reply|write|explain|respond)|"
        rf"in (?:all )?(?:your )?{REPLIES}))?)(?:{BY_ITSELF}|(?=,\s(?:i'?m|i am|even|not)\b))",
        confidence=0.8,
        example=("Be honest and direct with me.", "Be honest and direct with the user."),
        counter="Be careful with the second step.",
    ),
    Pattern(
        name="wants_me_so",
        says=rf"i(?:'d| would)? (?:want|need|like|prefer|love) (?:for )?you to (?P<rule>(?:be|stay|sound)\s"
        rf"(?:(?:brutally|completely|totally|fully|perfectly|a bit|a little|more|less|really|very|always)\s){{0,2}}"
        rf"{TRAIT}(?:(?:,|\sand|\sbut)\s{SOMEWHAT}{TRAIT})?(?:\s(?:with me|to me))?){BY_ITSELF}",
        confidence=0.85,
        example=("I want you to be brutally honest with me.", "Be brutally honest with the user."),
        counter="I want you to be honest about this draft.",
    ),
    Pattern(
        name="hands_off",
        says=rf"{POLITE}?(?P<rule>(?:do not|don't|never)\s(?:ever\s)?(?:touch|edit|modify|change|delete|remove|rename|"
        rf"move|refactor|reformat|commit to|push to|write to)\s(?:anything in\s|files in\s|any(?:thing)? of\s)?"
        rf"(?:the|my|our)\s(?!(?:first|second|third|last|next|other|same|rest)\b)(?:[\w./'-]+\s){{0,2}}?"
        rf"(?:folder|directory|branch|migrations?|lock ?files?|config(?:uration)?(?: files?)?|schema|database|main|"
        rf"master|production|tests?|vendor(?:ed)? (?:code|files?)|generated (?:code|files?)|"
        rf"public api|api))(?:\sdirectly)?{BY_ITSELF}",
        confidence=0.8,
        example=("Don't touch the legacy folder.", "Don't touch the legacy folder."),
        counter="Don't touch the second one.",
    ),
    Pattern(
        name="use_everywhere",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:always\s)?(?:use|prefer|default to|stick to)\s(?!(?:it|this|that|them|these|"
        rf"those|the same)\b)[\w .+/#'-]{{2,40}}?\s(?:everywhere|throughout|for (?:all|every|any)\s(?!(?:of\s)?(?:this|"
        rf"these|those|them|the)\b)[\w -]{{3,40}}|by default)){BY_ITSELF}",
        confidence=0.8,
        example=("Use UTC for all timestamps.", "Use UTC for all timestamps."),
        counter="I use UTC for all timestamps.",
    ),
    Pattern(
        name="answer_so",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:answer|reply|respond|write|explain|speak|talk|communicate)(?:\s(?:to me|me|"
        rf"back|things|"
        rf"everything|it all|in))?\s(?:only\s|always\s)?(?:{SOMEWHAT}{ADVERB}|(?:in|with|using|as)\s(?:an?\s|"
        rf"only\s|just\s)?"
        rf"{FORM}|without\s(?:any\s)?{REPLY_WORDS})(?:\s(?:only|max|at most|or less|or fewer))?){BY_ITSELF}",
        confidence=0.8,
        example=("Explain things step by step.", "Explain things step by step."),
        counter="Write in two sentences what a monad is.",
    ),
    Pattern(
        name="amounts_so",
        says=rf"{POLITE}?(?P<rule>(?:give|show|quote|list|state|write|put|convert|express)\s(?:me\s)?(?:all\s|"
        rf"any\s)?(?:prices|"
        rf"amounts|dates|times|temperatures|distances|weights|measurements|quantities|numbers|costs|sums|heights|"
        rf"sizes)\s"
        rf"(?:in|as|with|to)\s(?!{_OF_THE_MOMENT})[^\n,;.?]{{2,40}}?)(?:\s{PLEASE})?(?:{BY_ITSELF}|"
        rf"(?=,\s(?:and\s)?not\s(?:in\s)?"
        rf"\w+{BY_ITSELF}))",
        confidence=0.75,
        example=("Show prices in euros.", "Show prices in euros."),
        counter="Show prices in the second column.",
    ),
    Pattern(
        name="use_form",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:use|stick to|prefer|default to)\s(?:(?:only|more|fewer|"
        rf"less)\s)?(?:bullet points?|numbered "
        rf"lists|short(?:er)? sentences|simpler words|tables|markdown|headings|active voice|code blocks|type hints|"
        rf"tabs|spaces|"
        rf"snake_?case|camel ?case|iso dates|euros|dollars|pounds|(?:the\s)?(?:metric|imperial)(?: system|"
        rf" units?)?|kilos?|"
        rf"kilograms?|grams|litres|liters|{LANGUAGE}|first names?|my first name|lower ?case|plain text|everyday words|"
        rf"{REPLY_WORDS})(?:\s(?:for|in|when|with|instead of)\s(?:all|every|each|any|lists?|everything|dates|"
        rf"prices|code|"
        rf"your|you|comparisons?|steps|instructions|temperatures?|distances?|weights?|recipes|examples|names)\b"
        rf"[^\n,;.!?]{{0,50}})?){BY_ITSELF}",
        confidence=0.75,
        example=("Use numbered lists for instructions.", "Use numbered lists for instructions."),
        counter="Use tables to store the results of this run.",
    ),
    Pattern(
        name="with_every",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?![^\n]*\bmy\b)(?:include|add|give|show|cite|provide|link|name|mention|put|"
        rf"write|tell|explain|"
        rf"list|end|"
        rf"start|begin|finish|sign|close|open)\s(?:me\s)?[^\n,;.!?]{{0,50}}?\b(?:(?:for|with|to|in|at|after|of|on|"
        rf"under|before)\s)?"
        rf"(?:every|each|all (?:of )?your|any of your)\s(?:single\s)?(?:{REPLIES}|answer|reply|response|message|"
        rf"claim|fact|step|"
        rf"recipe|suggestion|recommendation|example|function|email|e-mail|text|summary|explanation|file|change|"
        rf"commit|list|"
        rf"paragraph|section|time|item|product|place|restaurant|book|film|movie|"
        rf"question)\b[^\n,;.!?]{{0,40}}){BY_ITSELF}",
        confidence=0.8,
        example=("Give a source for every claim.", "Give a source for every claim."),
        counter="I add a source for every claim.",
    ),
    Pattern(
        name="cite_sources",
        says=rf"{POLITE}?(?P<rule>(?:cite|name|give|show|link|mention)\s(?:me\s)?(?:all\s)?(?:your|the)?\s?(?:sources|"
        rf"references))"
        rf"{BY_ITSELF}",
        confidence=0.75,
        example=("Cite your sources.", "Cite your sources."),
        counter="I cite your sources.",
    ),
    Pattern(
        name="you_keep",
        says=r"you (?:always|keep(?: on)?|constantly|are always|'re always|never stop)\s(?P<rule>(?:apologi[sz]|repeat|"
        r"forgett|"
        r"ignor|suggest|us|add|ask|interrupt|giv|start|writ|mix|call|explain|offer|recommend|answer|reply|leav)ing\b"
        r"[^\n,;.!?]{0,60})",
        gives="stop {rule}",
        confidence=0.75,
        example=("You keep apologising for everything.", "Stop apologising for everything."),
        counter="You keep making me laugh.",
    ),
    Pattern(
        name="you_forget",
        says=r"you (?:always|keep|often|constantly)\s(?:forget|forgetting)\s(?:to\s)?(?P<rule>(?!me\b|that\b|"
        r"it\b)[^\n,;.!?]{3,60})",
        gives="do not forget {rule}",
        confidence=0.8,
        example=("You always forget the tests.", "Do not forget the tests."),
        counter="You always forget that I am old.",
    ),
    Pattern(
        name="less_of",
        says=rf"(?<!no )(?:please\s|can we have\s|i(?:'d like| want| need| prefer)\s)?(?P<much>less|fewer|"
        rf"more)\s(?P<of>{REPLY_WORDS})"
        rf"(?:\s(?:in|from) (?:your|the) {REPLIES})?(?:,?\s(?:please|pls|from now on|in future|"
        rf"in the future))*(?:,\s(?:more|less|"
        rf"fewer)\s[a-z]+(?:\s(?:please|pls))?)?\s*[.!]*$",
        gives="use {much} {of}",
        confidence=0.75,
        example=("Less jargon, please.", "Use less jargon."),
        counter="Less text was shown than before.",
    ),
    Pattern(
        name="too_much",
        says=rf"(?:you use |you write |you give |that's |there(?:'s| is| are) )?(?:way |far )?too (?:many|"
        rf"much)\s(?P<of>{REPLY_WORDS})"
        rf"(?:\s(?:in|for) (?:your|me|my)\b[^\n,;.!?]{{0,30}})?{BY_ITSELF}",
        gives="use fewer {of}",
        confidence=0.75,
        example=("You use too many emojis.", "Use fewer emojis."),
        counter="Too many questions were asked.",
    ),
    Pattern(
        name="no_need",
        says=rf"(?:there(?:'s| is)\s)?no need to\s(?P<rule>(?:{ABOUT_TALK}|thank|explain|apologi[sz]e|repeat|"
        rf"remind me|"
        rf""
        rf""
        rf""
        rf"greet|"
        rf"introduce|summari[sz]e|warn|say|add|ask)\b[^\n,;.!?]{{0,60}}){BY_ITSELF}",
        gives="do not {rule}",
        confidence=0.75,
        example=("No need to explain the basics.", "Do not explain the basics."),
        counter="No need to say that to him in the letter, is there?",
    ),
    Pattern(
        name="only_such",
        says=rf"{POLITE}?(?P<rule>(?:only\s(?:ever\s)?(?:answer|reply|suggest|recommend|cite|speak|respond|propose|"
        rf"offer)|(?:suggest|"
        rf"recommend|offer|propose)\sonly)\s(?!{_OF_THE_MOMENT})[^\n;.!?]{{3,70}}?){BY_ITSELF}",
        confidence=0.75,
        example=("Only suggest vegan recipes.", "Only suggest vegan recipes."),
        counter="Only suggest the first of them.",
    ),
    Pattern(
        name="no_such",
        says=rf"(?:please,?\s)?(?:no|avoid(?: using)?|i (?:don'?t|do not) (?:want|like|"
        rf"need)(?: any)?)\s(?P<banned>(?:technical\s)?(?:(?:long|unnecessary|unsolicited|more|silly|personal|"
        rf"political|"
        rf"stupid)\s)?"
        rf"{REPLY_WORDS})(?:\s(?:please|in (?:your|my)\s\w+|for me|ever|at all))*{BY_ITSELF}",
        gives="give no {banned}",
        confidence=0.75,
        example=("No spoilers, please.", "Give no spoilers."),
        counter="No questions were asked.",
    ),
    Pattern(
        name="too_so",
        says=rf"your\s{REPLIES}\s(?:are|is|sound)\s(?:\w+\s){{0,2}}?too\s(?P<manner>(?!long|wordy|short)"
        rf"{TRAIT})\b",
        gives="be less {manner} in answers",
        confidence=0.75,
        example=("Your replies are too formal.", "Be less formal in answers."),
        counter="Your replies are too late.",
    ),
    Pattern(
        name="hates_such",
        says=rf"i\s(?:really\s)?(?:hate|dislike|can'?t stand|don'?t like)\s(?P<banned>(?:long|vague|wordy|generic|"
        rf"lengthy|"
        rf"complicated|evasive|robotic|canned)\s(?:{REPLIES})|{REPLY_WORDS}\sin\s(?:your\s)?{REPLIES}){BY_ITSELF}",
        gives="avoid {banned}",
        confidence=0.75,
        example=("I hate long answers.", "Avoid long answers."),
        counter="I hate long answers to simple letters from my bank.",
    ),
    Pattern(
        name="likes_when_you",
        says=r"i(?:'d| would)?\s(?:really\s)?(?:prefer|like|love|appreciate|want)\s(?:it\s)?(?:if|when(?:ever)?|that)\s"
        r"you\s(?:always\s)?(?P<rule>(?:answer|reply|respond|explain|use|ask|give|write|keep|speak|talk|call|"
        r"show|include|"
        r"cite|start|end|tell|check|warn|suggest|skip|add)\b[^\n,;.!?]{3,90})",
        confidence=0.8,
        example=("I prefer if you ask one question at a time.", "Ask one question at a time."),
        counter="I love it when you are right.",
    ),
    Pattern(
        name="one_at_a_time",
        says=rf"(?:please\s)?(?:only\s|just\s)?(?:ask(?: me)?\s)?(?P<what>one\s(?:question|thing|"
        rf"step)\sat\sa\stime){BY_ITSELF}",
        gives="give {what}",
        confidence=0.75,
        example=("One question at a time, please.", "Give one question at a time."),
        counter="One step at a time I went up.",
    ),
    Pattern(
        name="when_unsure",
        says=r"(?:please\s)?(?P<rule>(?:tell me|say so|say|admit(?: it)?|let me know|be honest)\s(?:when(?:ever)?|"
        r"if)\syou"
        r"(?:'re| are|'ve| have| do not| don'?t| cannot| can'?t)\s(?:not\s|never\s)?(?:sure|certain|know|able|"
        r"understand|"
        r"unsure|guessing|find|made|wrong)\b[^\n,;.!?]{0,50})",
        confidence=0.85,
        example=("Tell me when you're not sure.", "Tell the user when you're not sure."),
        counter="They tell me when you're not sure.",
    ),
    Pattern(
        name="ask_before",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:ask|check with|warn|tell|show|consult|inform|notify|"
        rf"confirm with)\sme\b(?!\s(?:what|how|which|who|where|why|about|some|if|a\b))[^\n,;.!?]{{0,50}}?"
        rf"\sbefore\s(?!(?:noon|lunch|dinner|monday|tuesday|wednesday|thursday|friday|tomorrow|\d|the|"
        rf"my)\b)[^\n,;.!?]{{3,80}})",
        confidence=0.85,
        example=("Show me the plan before you begin.", "Show the user the plan before you begin."),
        counter="Remind me before Friday.",
    ),
    Pattern(
        name="check_before",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?:run|write|test|check|verify|double[- ]check|proofread|review|lint|look up|"
        rf"search|ask|read|"
        rf"show|make|create|back up)\s[^\n,;.!?]{{2,50}}?\sbefore (?:you (?:answer|reply|send|commit|submit|give|"
        rf"delete|push|post|"
        rf"deploy|say|tell|start|change|write|suggest|recommend)|sending|committing|submitting|answering|replying|"
        rf"giving|"
        rf"deleting|pushing|posting|deploying|changing|making)\b[^\n,;.!?]{{0,60}})",
        confidence=0.75,
        example=("Run the tests before you commit.", "Run the tests before you commit."),
        counter="I run the tests before you commit.",
    ),
    Pattern(
        name="if_i_talk",
        says=rf"(?P<when>(?:if|when(?:ever)?|every time|each time|"
        rf"any ?time)\si\s{_TALKS}\b[^,;:?!\n]{{0,100}}?)(?:,\s+|\s(?=(?:only|always|never|please|don'?t)\b))"
        rf"{POLITE}{{0,2}}"
        rf"(?P<rule>(?!i\b|we\b|it\b|you\b|he\b|she\b|they\b|the\b|my\b|that\b|this\b|there\b|what\b|is\b|can\b|do i\b)"
        rf"(?:[a-z]+|don't)\b[^\n;?!]{{3,160}})",
        confidence=0.8,
        example=("If I send you code, point out security issues.", "Point out security issues."),
        counter="If I send it today, it arrives on Monday.",
    ),
    Pattern(
        name="assume_me",
        says=r"(?:please\s)?(?P<rule>(?:assume (?:that )?i(?:'m| am| know| have| use| don't know)|treat me (?:like|"
        r"as))\b"
        r"[^\n,;.!?]{2,80})",
        confidence=0.8,
        example=("Assume I'm a beginner.", "Assume they are a beginner."),
        counter="They assume I'm a beginner.",
    ),
    Pattern(
        name="by_default",
        says=rf"{POLITE}?(?P<rule>(?!i\b|we\b|it\b|is\b)[a-z]+\s[^\n,;.!?]{{2,60}}?),?\s(?:by default|as (?:the|a|"
        rf"your) default|unless i "
        rf"(?:say|ask|tell you) (?:otherwise|for something else)|until i say otherwise|unless (?:told|"
        rf"i specify) otherwise)"
        rf"{BY_ITSELF}",
        confidence=0.85,
        example=("Use Python unless I say otherwise.", "Use Python."),
        counter="It uses Python by default.",
    ),
    Pattern(
        name="speak_language",
        says=rf"(?:let'?s|please|pls|can we|could we|can you|could you|i'?d (?:like|prefer) (?:to|you to)|"
        rf"i want (?:you )?to)\s"
        rf"(?:please\s)?(?:speak|talk|chat|continue|switch|write|answer|reply)\s(?:with me\s|to me\s|me\s)?(?:to\s|"
        rf"in\s|back to\s)?"
        rf"(?P<language>{LANGUAGE})(?:\sonly|\swith me|\sinstead)?(?=,?\s*(?:please|pls|from now on|"
        rf"thanks)?\s*[.!?]*$)",
        gives="answer in {language}",
        confidence=0.8,
        example=("Let's switch to French.", "Answer in French."),
        counter="Let's switch to French toast.",
    ),
)
"""Tried after `wishes.WISHES`, which name what they are about."""
