"""The table of questions that agents ask, with what a short answer to each says in full."""

from typing import Final

from sagacity.learning.rules.answers import Answer
from sagacity.learning.rules.fragments import (
    AVOIDED,
    CONDITION,
    DIET,
    FAMILY,
    LASTING,
    NAME,
    OCCUPATION,
    THINGS,
    WORD_FOR_TWO,
)

_YES = r"(?:yes|yeah|yep|yup|yea|sure|i do|i am)\b[\s,.:!-]*"
_NO = r"(?:no|nope|nah|none|not really|no,? i (?:don't|dont|do not|am not|'m not))(?=\s*(?:[,.!;\n]|$))"
_ABOUT = r"(?:(?:about|around|roughly|usually|mostly|mainly|like|maybe|at|in|just|it's|its|i'm|im|a|an|the)\s){0,2}"
_CLAUSE = (
    r"(?!(?:i|i'm|im|i've|i'd|ill|we|my|our|no|nope|nah|not|none|nothing|nobody|never|nowhere|n/?a|don't|dont|idk|"
    r"dunno|"
    r"depends|why|what|how|can|could|would|will|please|pls|just (?!an?\b)|it|it's|its|that|thats|this|these|the same|"
    r"all|"
    r"any|anything|both|neither|either|whatever|whichever|same|skip|hm+|ok|okay|sure|thanks|let|let's|you|your|"
    r"sorry|wait|maybe|probably|there|here|ask|tell|see|give|show|make|forget|never ?mind|yes|yeah|as|if|"
    r"like (?!\d))\b)"
    r"(?![^\n.!?;:,]{0,80}\b(?:is|are|was|were|would|should|could|you|your|i|i'm|it|that|this|here)\b)"
)
"""What starts half a sentence, and no statement, question or evasion."""
_SHORT = rf"(?:{_YES})?{_CLAUSE}(?P<answer>(?:[^\n.!?;:\"]|(?<=\d)[.:](?=\d)){{1,120}})"
_AGE = r"\d{1,2}(?:\s(?:and a half|months?(?: old)?))?"
_AGES = rf"(?P<ages>{_AGE}(?:,\s{_AGE})*(?:,?\s(?:and|&)\s{_AGE}))"
_NAMES = rf"(?P<names>{NAME}(?:,\s{NAME}){{0,4}}(?:,?\s(?:and|&)\s{NAME}))"
_MANY = r"(?:kids|children|sons|daughters|twins|triplets|boys|girls|dogs|cats|pets|brothers|sisters|siblings)"
_PET = r"(?:dog|cat|puppy|kitten|rabbit|parrot|hamster|horse|bunny)"
_ONE = rf"(?:{FAMILY}|{_PET})"
_USUALLY = r"(?:(?:usually|normally|currently|typically|mostly|generally|mainly|regularly)\s)?"
_NOW = (
    r"(?:,?\s(?:usually|normally|currently|at the moment|right now|these days|now|at home|at work|for work|mainly|"
    r"most|"
    r"most often|today|if any|yourself|exactly|though|then|by the way|if i may ask|if you don't mind))?"
)
_ANY = r"(?:(?:do|would) you have|have you got|are there|got)?\s?(?:any(?: other)?|other|what)?\s?"
_READ = r"use|study|play|drive|teach|listen to|like|love|enjoy|dislike|hate|avoid|support|collect|ride|own"
"""Verbs of which the tables of facts read what follows."""
_TRAITS = (
    rf"(?:{DIET}|married|divorced|single|retired|pregnant|diabetic|left-handed|allergic to \w+(?:\s\w+){{0,2}}\s?|"
    rf"(?:an? )?(?:\w+ )?(?:student|nurse|teacher|developer|beginner|runner|smoker|native speaker|morning person|"
    rf"night owl))"
)
_DOES = (
    r"(?:smoke|drink(?: alcohol| coffee)?|eat (?:meat|fish|dairy|pork|eggs|gluten)|drive|work from home|play \w+|"
    r"speak \w+)"
)
_KINDS = (
    r"(?:(?:[\w.+#]+\s)?version|os|operating system|phone|smartphone|laptop|computer|camera|car|bike|printer|router|"
    r"plan|tariff|bank|internet provider|provider|shell|terminal|cloud|hosting|console|tablet|instrument|guitar|oven|"
    r"stove|coffee machine|gear|distro)"
)
"""What one has or uses for long."""

QUESTIONS: Final[tuple[Answer, ...]] = (
    Answer(
        asks=r"(?:what(?:'s| is)|(?:may|can|could) i (?:have|get|ask|know|ask for)) your (?:full |first |"
        r"last )?name(?:,? please)?|"
        r"who am i (?:speaking|talking|chatting) (?:to|with)|what (?:should|can|do|may) i call you",
        says=rf"(?:it's |its |this is |i'm |im |sure,? |hi,? |yes,? )*(?P<answer>{NAME})(?=\s*(?:[,.!\n]|$))",
        gives="My name is {answer}",
    ),
    Answer(
        asks=rf"how old are you{_NOW}|what(?:'s| is) your age|(?:and )?your age",
        says=r"(?:i'm |im |just turned )?(?P<answer>\d\d)(?! ?%)\b(?:\s?(?:years old|years|yrs?|"
        r"yo))?(?=\s*(?:[,.!;\n]|$|and\b))",
        gives="I'm {answer} years old",
    ),
    Answer(
        asks=rf"what do you do(?: for (?:work|a living|your job))?{_NOW}|what(?:'s| is) your (?:job|occupation|"
        rf"profession|"
        r"line of work|role|job title)|what kind of (?:work do you do|job do you have)|do you work|"
        r"what are you doing for work",
        says=rf"(?:{_YES})?(?:i'm |im )?(?:an? |the )?(?:as an? )?(?P<answer>(?:(?!and\b|"
        rf"not\b)[\w/-]+\s){{0,3}}?{OCCUPATION}\b)",
        gives="I'm a {answer}",
    ),
    Answer(
        asks=rf"what do you do(?: for (?:work|a living))?{_NOW}|do you work|are you (?:still )?working",
        says=r"(?:no,? )?(?:i'm )?(?P<answer>retired|unemployed|self-employed|between jobs)\b",
        gives="I'm {answer}",
    ),
    Answer(
        asks=r"(?:do you have|have you got|got) (?:any )?(?:kids|children)(?: at home| yourself| of your own| too)?|"
        r"how many (?P<many>kids|children)(?: do you have| are there)?|any (?:kids|children)",
        says=rf"(?:{_YES})?(?P<count>{WORD_FOR_TWO})(?:\sof them|\s(?:kids|children))?[\s,:(-]+(?:aged? |ages |"
        rf"they're |they are )?"
        rf"{_AGES}",
        gives="I have {count} kids aged {ages}",
    ),
    Answer(
        asks=r"(?:do you have|have you got|got) (?:any )?(?:kids|children)(?: at home| yourself| of your own| too)?|"
        r"how many (?:kids|children)(?: do you have| are there)?|any (?:kids|children)",
        says=rf"(?:{_YES})?(?P<count>{WORD_FOR_TWO})(?=\s*(?:[,.!(\n]|$|of them))",
        gives="I have {count} kids",
    ),
    Answer(
        asks=r"(?:(?:do you have|have you got|got)\s)?(?:any )?(?:other )?(?P<what>kids|children|pets|siblings|"
        r"animals)"
        r"(?: at home| too)?|how many (?:kids|children|siblings|pets) do you have|what (?:pets|animals) do you have",
        says=rf"(?:{_YES})?(?P<answer>(?:an?|one|{WORD_FOR_TWO})\s[^\n.!?;:\"]{{2,80}})",
        gives="I have {answer}",
    ),
    Answer(
        asks=r"(?:do you have|have you got) (?:any )?(?P<what>kids|children|pets|siblings|"
        r"brothers or sisters)(?: at home)?",
        says=_NO,
        gives="I don't have {what}",
    ),
    Answer(
        asks=rf"what(?:'s| is| are|'re) (?:your |the )?(?P<whose>{_MANY})(?:'s|s'|')? (?:names?|called)|"
        rf"how old are (?:your |the )?(?P<old>{_MANY})",
        says=rf"(?:(?:they're |they are )?(?P<age>\d{{1,2}})[,.:]\s)?{_NAMES}(?!\s+\d)",
        gives="I have {whose}{old} named {names}",
    ),
    Answer(
        asks=rf"how old are (?:your |the )?(?P<whose>{_MANY})",
        says=rf"(?:they're |they are )?(?P<answer>{_AGE}(?:,\s{_AGE})*(?:,?\s(?:and|&)\s{_AGE})?)",
        gives="My {whose} are {answer}",
    ),
    Answer(
        asks=rf"what(?:'s| is) (?:your )(?P<whose>{_ONE})(?:'s|s)? (?:name|called)",
        says=rf"(?:his|her|its|he's|she's|it's)?(?: name is| called)?\s?(?P<answer>{NAME})",
        gives="My {whose}'s name is {answer}",
    ),
    Answer(
        asks=rf"how old is (?:your )(?P<whose>{_ONE})",
        says=rf"(?:he's |she's |it's )?(?P<answer>{_AGE})(?! of)(?: years old)?(?=\s*(?:[,.!;\n]|$|and\b))",
        gives="My {whose} is {answer} years old",
    ),
    Answer(
        asks=rf"what (?:breed|kind of (?:dog|cat)) (?:is (?:your )?(?P<pet>{_PET})|of (?P<same>{_PET}))",
        says=rf"(?:he's |she's |it's )?(?:an? )?{_CLAUSE}(?P<answer>[^\n.!?;:,\"]{{3,40}})",
        gives="My {pet}{same} is a {answer}",
    ),
    Answer(
        asks=rf"(?:and )?where do you live{_NOW}|where are you (?:based|located|living){_NOW}|"
        r"(?:which|what) (?:city|town|country|area|region) (?:do you live in|are you (?:in|based in|located in))",
        says=rf"(?:in |at |currently |just )*{_CLAUSE}(?P<answer>(?!(?:{_YES}|near|outside|"
        rf"between)\b)[^\n.!?;:\"]{{2,60}})",
        gives="I live in {answer}",
    ),
    Answer(
        asks=r"where (?:are|do) you (?:come )?from(?: originally)?|where did you grow up|where were you born|"
        r"are you (?:originally )?from [\w ]{2,30}",
        says=rf"(?:no,? )?(?:i'm )?(?:originally )?(?:from )?(?P<answer>{NAME})(?=\s*(?:[,.!\n]|$|originally))",
        gives="I'm from {answer}",
    ),
    Answer(
        asks=rf"where do you work{_NOW}|who do you work for|(?:which|what) company do you work (?:for|at)",
        says=rf"{_CLAUSE}(?P<at>(?:at|for|in|from)\s)?(?P<answer>[^\n.!?;:\"]{{2,60}})",
        gives="I work at {answer}",
    ),
    Answer(
        asks=rf"{_ANY}(?:(?:food|dietary|special|known|\w+)\s(?:and |or )?)?(?:allerg\w+|"
        rf"intolerances?)(?:[\w ,]{{0,40}})|"
        r"(?:are you|is anyone) allergic to anything|what are you allergic to",
        says=rf"(?:{_YES})?(?:to )?(?P<answer>{AVOIDED})(?=\s*(?:[,.!;\n]|$|and\b))",
        gives="I'm allergic to {answer}.",
    ),
    Answer(
        asks=rf"{_ANY}(?:(?:dietary|food|special|particular)\s)*(?:allergies|diets?|requirements|restrictions|needs|"
        rf"preferences|intolerances|"
        rf"foods you avoid)(?:[\w ,]{{0,50}})|(?:anything|is there anything|what) (?:that )?you (?:can't|cannot|"
        rf"don't|do not|won't) eat|"
        r"do you eat everything|do you follow (?:a|any)(?: particular| special)? diet",
        says=rf"(?:{_YES})?(?:i'm |im )?(?P<answer>{DIET}|lactose intolerant|celiac|coeliac)\b",
        gives="I'm {answer}.",
    ),
    Answer(
        asks=rf"{_ANY}(?:(?:dietary|food|special)\s)*(?:diets?|requirements|restrictions|needs|"
        rf"foods you avoid)(?:[\w ,]{{0,50}})|"
        r"(?:anything|is there anything|what) (?:that )?you (?:can't|cannot|don't|do not|won't) eat|"
        r"do you eat everything",
        says=rf"(?:{_YES}|no )?(?P<answer>{AVOIDED})(?=\s*(?:[,.!;\n]|$|and\b|for\b))",
        gives="I don't eat {answer}.",
    ),
    Answer(
        asks=r"(?:do you (?:take|use)|are you (?:on|taking)|what) (?:any |other |regular )*(?P<what>medications?|"
        r"medicines?|meds|supplements|"
        r"drugs|vitamins)(?: do you take)?(?: regularly| currently| at the moment| right now)?|"
        r"do you take anything(?: (?:for it|for that|to sleep|regularly))?",
        says=rf"{_SHORT}",
        gives="I take: {answer}",
    ),
    Answer(
        asks=r"how tall are you|what(?:'s| is) your height|(?:and )?your height",
        says=r"(?:i'm |im |about |around )*(?P<answer>\d[\d.,'\"]*\s?(?:cm|m|ft|feet|foot)?(?:\s?\d{1,2}\b)?)",
        gives="I'm {answer} tall",
    ),
    Answer(
        asks=r"(?:and )?how much do you weigh|(?:and )?(?:what(?:'s| is) )?your weight",
        says=r"(?:i'm |im |about |around |like )*(?P<answer>\d{2,3}(?:[.,]\d)?\s?(?:kgs?|kilos?|lbs?|pounds|"
        r"stone)?)(?=\s*(?:[,.!;\n]|$))",
        gives="I weigh {answer}",
    ),
    Answer(
        asks=rf"{_ANY}hobbies|what are your (?:hobbies|interests)|what do you (?:like to )?do (?:for fun|"
        rf"in your (?:free|spare) time)",
        says=rf"(?:{_YES})?{_SHORT}",
        gives="My hobbies are {answer}",
    ),
    Answer(
        asks=r"when are you open|what are your (?:opening )?hours|what are your opening (?:hours|times)",
        says=_SHORT,
        gives="My opening hours are {answer}",
    ),
    Answer(
        asks=rf"{_ANY}(?:\w+ )?(?:injuries|health (?:issues|conditions|problems)|(?:medical |other )?conditions|"
        rf"pain)[\w ,]{{0,40}}",
        says=rf"(?:{_YES})?(?P<answer>{CONDITION}(?=\s*(?:[,.!;\n]|$|and\b|since\b)))",
        gives="I have {answer}",
    ),
    Answer(
        asks=rf"{_ANY}(?:\w+ )?(?:injuries|health (?:issues|conditions|problems)|(?:medical |other )?conditions|"
        rf"pain)[\w ,]{{0,40}}",
        says=rf"(?:{_YES})?(?:an? |my )?(?P<answer>(?:bad|weak|sore|dodgy|broken|torn|stiff) (?:(?:left|right|lower|"
        rf"upper) )?(?:knees?|back|shoulder|"
        r"neck|hips?|wrist|ankle|foot|elbow|heart))",
        gives="I have a {answer}",
    ),
    Answer(
        asks=r"(?:and )?what(?:'s| is| are|'s) your (?P<whose>favou?rite [\w ]{3,30}|budget|opening hours|"
        r"native language|mother tongue)"
        r"(?: for [\w ]{3,40})?|(?:do you have an? |any )(?P<limit>budget)(?: in mind)?",
        says=rf"(?:{_YES})?{_ABOUT}{_SHORT}",
        gives="My {whose}{limit} is {answer}",
    ),
    Answer(
        asks=rf"(?:which|what) (?:code |text )?(?:editor|ide|browser|database|framework|test framework|"
        rf"package manager|linter) do you use{_NOW}",
        says=_SHORT,
        gives="I use {answer}",
    ),
    Answer(
        asks=rf"(?:which|what)(?:\s(?P<of>(?:kind of |type of )?{_KINDS})) (?:are you on|are you using|do you (?:use|"
        rf"have|run))(?: for [\w ]{{2,20}})?{_NOW}",
        says=rf"{_SHORT}(?=\s*(?:[.!?;:\n]|$))",
        gives="I use: {answer} as {of}",
    ),
    Answer(
        asks=rf"(?:what|which|who)(?:\s[\w' -]{{2,30}}?)? (?:do you) {_USUALLY}(?P<verb>{_READ}){_NOW}|"
        rf"{_ANY}(?:[\w ]{{3,20}} )(?:that )?you (?:particularly |really )?(?P<liking>like|love|enjoy|dislike|hate|"
        rf"avoid)",
        says=_SHORT,
        gives="I {verb}{liking} {answer}",
    ),
    Answer(
        asks=r"what are you (?P<doing>studying|learning|training for|reading|writing|working on|allergic to)"
        + _NOW,
        says=_SHORT,
        gives="I'm {doing} {answer}",
    ),
    Answer(
        asks=r"how (?:much|many)(?: cups of| glasses of)?\s(?P<of>(?:coffee|tea|water|beer|wine|alcohol|"
        r"soda))(?: do you drink)?[\w ]{0,20}",
        says=r"(?:like |about |around |maybe |usually )*(?P<answer>(?:\d[\d-]*|one|two|three|four|five|six|"
        r"an?) (?:cups?|glass(?:es)?|lit(?:er|re)s?|"
        r"bottles?|mugs?|pints?|cans?))(?P<often> (?:a|per|every|each) (?:day|week|month))?",
        gives="I drink {answer} of {of} {often}",
    ),
    Answer(
        asks=rf"how (?:many|much) (?P<counted>[\w ]{{3,30}}) do you {_USUALLY}(?P<verb>{LASTING})(?P<rest>)",
        says=r"(?:about |around |usually |maybe |like |just )*(?P<answer>\d{1,3}(?:\s?(?:-|to|or)\s?\d{1,3})?|one|"
        r"two|three|four|five|six|seven)\b"
        r"(?=\s*(?:[,.!;\n]|$|usually|or so|max|on|when|but|and))",
        gives="I {verb}: {answer} {counted}",
    ),
    Answer(
        asks=rf"(?:how often|how much|how many [\w ]{{3,30}}|how long|how|when|what time|where|who|what|"
        rf"which [\w ]{{3,20}}) do you {_USUALLY}(?P<verb>{LASTING})"
        rf"(?:\s(?P<rest>(?!(?:him|her|it|them|this|that|there|these|those|for me|with)\b)[\w' -]{{2,40}}?))?{_NOW}",
        says=_SHORT,
        gives="I {verb} {rest}: {answer}",
    ),
    Answer(
        asks=rf"are you (?:an? |currently |also )*(?P<what>{_TRAITS})",
        says=rf"{_YES}(?=\s*(?:$|\n)|(?<=[,.!\s]))",
        gives="I'm {what}, ",
    ),
    Answer(
        asks=rf"do you (?:currently |also |still |ever )?(?P<what>{_DOES})",
        says=_YES,
        gives="I {what}, ",
    ),
    Answer(
        asks=rf"do you (?:currently |also |still |ever )?(?P<what>{_DOES})",
        says=_NO,
        gives="I don't {what}",
    ),
    Answer(
        asks=rf"(?:do you (?:have|own)|have you got) (?P<what>an? (?:\w+ )?(?:{THINGS}|oven|balcony|"
        rf"driving licen[cs]e|driver's license|dishwasher|"
        r"microwave|freezer|blender))(?: at home)?",
        says=_NO,
        gives="I don't have {what}",
    ),
    Answer(
        asks=rf"(?:do you (?:have|own)|have you got) (?P<what>an? (?:\w+ )?(?:{THINGS}|oven|balcony|"
        rf"driving licen[cs]e|driver's license|dishwasher|"
        r"microwave|freezer|blender))(?: at home)?",
        says=rf"{_YES}$",
        gives="I have {what}",
    ),
)
"""Tried in order: of two that fit a question and its answer the first wins."""
