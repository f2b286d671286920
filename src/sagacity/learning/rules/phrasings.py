"""The table of phrasings in which users tell an agent how to act."""

from typing import Final

from sagacity.learning.rules.complaints import COMPLAINTS
from sagacity.learning.rules.conduct import CONDUCT
from sagacity.learning.rules.mistakes import MISTAKES
from sagacity.learning.rules.pattern import BODY, POLITE, STANDING, VERBS, Pattern
from sagacity.learning.rules.style import STYLE
from sagacity.learning.rules.wishes import WISHES

_DOING = (
    r"swallow|catch|ignor|hid|commit|push|merg|touch|edit|modif|renam|remov|reformat|format|refactor|promis|refund|"
    r"escalat|reveal|propos|pick|choos|round|mix|replac|open|clos|install|import|deploy|translat|shorten|greet|book|"
    r"order|charg|fix|hardcod|comment|log|return|break|rewrit|rephras|mock"
)
"""What an agent does to what it works on: stems, before "-ing" too."""

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
        name="standing_listed",
        says=r"(?P<when>(?:for|in)\s(?:all\s|any\s|my\s)?(?:future|later|upcoming|other)\s\w+(?:\s\w+)?)\s?[:,-]\s"
        r"(?P<rule>(?!(?:i|we|it|he|she|they|the|this|that|there|what|how|can|could|my|our|you)\b)[^\n;?!]{5,160})",
        confidence=0.8,
        example=(
            "For future posts: British spelling, max 120 words, no hashtags.",
            "British spelling, max 120 words, no hashtags.",
        ),
        counter="For future reference, I live in Leeds.",
    ),
    Pattern(
        name="standing_behind",
        says=rf"{POLITE}{{0,2}}(?={VERBS}\b)(?!(?:give|show|tell|suggest) me (?:some|a few|any|an?)\b)"
        rf"(?P<rule>[^\n,?]{{3,120}}?)[,\s]+(?:{STANDING}(?=\s*[.!,;]|\s*$|"
        rf"\s[-\u2013\u2014])|(?!in (?:the )?future){STANDING}(?=\s*\?))",
        confidence=0.9,
        example=("Please keep answers under three lines from now on.", "Keep answers under three lines."),
        counter="I will keep my answers short from now on.",
    ),
    Pattern(
        name="always",
        says=rf"{POLITE}{{0,2}}(?P<rule>(?!never (?:give up|look back|lose hope|say never|stop (?:dream|believ|"
        rf"learn|try)ing)\b)"
        rf"(?![^\n]{{0,120}}\swithout\s(?:my|asking|checking with|telling)\b)"
        rf"(?:always|never)\s(?={VERBS}\b)[^\n]{{3,260}})",
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
    *WISHES,
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
        rf"think|hesitate|i\b|we\b|want|need|have|be\b|even|see|understand)(?:(?:just|ever)\s)?(?:(?:us(?:e|"
        rf"ing)|show|includ|giv|tell|ask|add|explain|suggest|recommend|assum|repeat|apologi[sz]|writ|"
        rf"generat|run|creat|delet|send|chang|mak|call|focus|put|pitch|offer|switch|skip|summari[sz]|"
        rf"mention|guess|invent|cit|overcomplicat|sugarcoat|upsell)\w*)\b[^\n]{{0,200}}|(?:do not|don't|stop)\s"
        rf"(?:{_DOING})\w*\s(?!(?:it|that|this|them|those|these|him|her|the|yet|my)\b)"
        rf"(?![^\n]{{0,100}}\b(?:yet|now|today|tonight|tomorrow|this|these|those)\b)[^\n]{{2,200}})",
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
        example=("Give me shorter examples.", "Give the user shorter examples."),
        counter="It should be more concise.",
    ),
    Pattern(
        name="before_doing",
        says=r"(?:please\s)?(?P<rule>(?:ask|check|confirm|warn me|tell me|explain|verify|"
        r"test)\b[^\n,.]{0,60}?\sbefore\s(?:you\s\w+|\w+ing)[^\n]{2,80})",
        confidence=0.8,
        corrects=True,
        example=("Explain the risk before deleting files.", "Explain the risk before deleting files."),
        counter="I explain the risk before deleting files.",
    ),
    Pattern(
        name="remember_to",
        says=rf"(?:please\s)?(?:remember|make sure) to\s(?P<rule>(?={VERBS}\b)[^\n]{{3,120}})",
        confidence=0.7,
        corrects=True,
        example=("Remember to use the test account.", "Use the test account."),
        counter="I must remember to use the test account.",
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
    *MISTAKES,
    *CONDUCT,
    *STYLE,
    *COMPLAINTS,
)
"""All rows; of several that match in one sentence the earlier wins."""
LISTED: Final = Pattern(
    name="listed",
    says=rf"(?:(?P<when>when(?:ever)?\s[^,;:?!]{{3,100}}),\s+)?{POLITE}?(?={VERBS}\b){BODY}",
    confidence=0.85,
    example=("Second, include the order number.", "Include the order number."),
    counter="Second, it was late.",
)
"""An item of a list that a sentence such as "for next time:" opens; read nowhere else."""
