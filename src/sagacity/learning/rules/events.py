"""What the user has been through: journeys, courses, races, illnesses, work and homes of before."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    DATE,
    DIET,
    END,
    NAME,
    OCCUPATION,
    PHRASE,
    PLACE,
    POINTING,
)

_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|ten|several|a few|many|some|\d{1,2})"
_SPAN = (
    r"(?:(?:about |around |over |almost |nearly )?[\w-]+(?: and a half)? (?:days?|nights?|weeks?|months?|"
    r"years?|summers?))"
)
_AGO = (
    rf"(?:last\s\w+|this\s(?:year|summer|winter|spring|fall)|{_SPAN} ago|a (?:few|couple(?: of)?) \w+ "
    rf"(?:ago|back)|(?:in\s)?{DATE}|"
    r"(?:when|as) (?:i was )?(?:a |an )?(?:kid|child|teenager|student|younger|in (?:college|school|"
    r"university)))"
)
_WHEN = rf"(?P<when>(?:\s(?:back\s)?{_AGO})?)"
_PERFECT = r"(?:i|we)(?:'ve| have)?"
_JUST = (
    r"(?:\s(?:already|also|actually|recently|just|finally|once|even|both|previously|originally|really)){0,2}"
)
_COURSE = (
    r"(?:course|courses|class|classes|certification|certificate|bootcamp|workshop|workshops|seminar|"
    r"training|degree|"
    r"exam|exams|retreat|conference|summit|hackathon|lessons|license|diploma|internship|apprenticeship|"
    r"residency|"
    r"fellowship|marathon|half[- ]marathon|triathlon|10k|5k|race|tournament|competition|ironman|"
    r"ultramarathon|"
    r"program(?:me)?|challenge|festival|exhibition|play|musical|concert)"
)
_ILLNESS = (
    r"(?:bronchitis|pneumonia|covid(?:-19)?|(?:the )?flu|influenza|shingles|strep(?: throat)?|mono|kidney "
    r"stones?|"
    r"appendicitis|a stroke|a heart attack|a miscarriage|a concussion|cancer|breast cancer|skin cancer|"
    r"(?:a )?sinus infections?|an? (?:ear|eye|kidney|urinary tract|chest|throat) infections?|a uti|lyme "
    r"disease|"
    r"chickenpox|measles|tonsillitis|food poisoning|anaphyla\w+|gestational diabetes|postpartum depression|"
    r"a (?:panic attack|seizure|blood clot|slipped disc|herniated disc|burnout|breakdown|fall|car accident))"
)
_OPERATION = (
    r"(?:(?:an?\s)?(?:\w+\s)?(?:knee|hip|heart|back|eye|lasik|shoulder|gallbladder|cataract|hernia|brain|"
    r"spinal|wisdom teeth|"
    r"bariatric|open[- ]heart|foot|hand|wrist|ankle|acl|thyroid|prostate|plastic) (?:surgery|operation|"
    r"replacement|transplant)|"
    r"(?:an?\s)?(?:c-section|hysterectomy|root canal|vasectomy|mastectomy|colonoscopy|kidney transplant|"
    r"bypass|ivf)|"
    r"my (?:appendix|tonsils|gallbladder|wisdom teeth|thyroid|spleen)\s(?:out|removed|taken out))"
)

EVENTS: Final[tuple[Rule, ...]] = (
    rule(
        "has_been_to",
        rf"(?:i've|i have|we've|we have){_JUST} (?P<never>never )?been to\s(?P<place>{PLACE})"
        rf"(?P<times>(?:\s(?:once|twice|before|{_COUNT} times|several times|many times))?)"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|yet|for|with|when|in|last)\b)",
        "Has {never} been to {place} {times}.",
        slot="travel.{place}",
        refuse=r"(?:Google|Step|Page|Section|Costco|Walmart|Target|IKEA|Ikea|Starbucks|Bed)\b",
        example=("I've been to Thailand three times.", "Has been to Thailand three times."),
        counter="I've been to the dentist.",
    ),
    rule(
        "went_to",
        rf"{_PERFECT}{_JUST} (?P<did>went|travell?ed|flew|drove|backpacked|hiked|cycled)\s(?:(?:back\s)?to|"
        rf"through|around|across)\s"
        rf"(?P<place>{PLACE})\s(?:(?:for|with)\s(?:[\w']+\s){{1,4}}?)?(?=(?:last|in|for|two|three|a|on)\s)"
        rf"(?P<when>(?:last\s(?:summer|winter|spring|fall|autumn|year|month|week|week(?:end)|(?-i:[A-Z])\w+)"
        rf"|in\s(?:{DATE})|for\s(?:{_SPAN}|christmas|our honeymoon|my honeymoon|the holidays|my birthday|a "
        rf"wedding|work)"
        rf"|{_SPAN} ago|a (?:few|couple(?: of)?) \w+ ago|on (?:vacation|holiday|our honeymoon|my honeymoon|"
        rf"business))"
        rf"(?:\s(?:in|last)\s{DATE})?)",
        "{did} to {place} {when}.",
        slot="travel.{place}",
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=(
            r"(?:Google|Step|Page|Section|Costco|Walmart|Target|IKEA|Ikea|Starbucks|Bed|Whole|Trader|"
            r"Harvard|Stanford)\b"
        ),
        example=("I went to Iceland last summer.", "Went to Iceland last summer."),
        counter="I went to bed last.",
    ),
    rule(
        "back_from",
        rf"(?:(?:{_PERFECT}{_JUST} (?:got|came|come|returned)|(?:i'm|i am|we're|we are){_JUST}) "
        rf"(?:back )?from)\s(?P<what>(?:(?:an?|my|our)\s(?:[\w-]+\s){{0,4}}?(?:trip|vacation|holiday|"
        rf"honeymoon|cruise|"
        rf"retreat|road trip|conference|tour)(?:\s(?:to|in|around|through|with)\s{PHRASE})?|"
        rf"(?P<place>{PLACE}){END}))",
        "Came back from {what}.",
        slot="travel.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=r"(?:I|Work|School|Costco|Walmart|Target|IKEA|Ikea|Starbucks)\b",
        example=("I just got back from a road trip to Utah.", "Came back from a road trip to Utah."),
        counter="I just got back from it.",
    ),
    rule(
        "was_in",
        rf"(?:\bwhen (?:i|we) (?:was|were)|\bwhile (?:i|we) (?:was|were)|{_PERFECT}{_JUST} "
        rf"spent\s(?P<span>{_SPAN})"
        rf"(?: \w+ing(?: \w+)?)?) in\s(?P<place>(?!the\s){PLACE}){_WHEN}",
        "Was in {place} {span} {when}.",
        slot="travel.{place}",
        time_to_live=TimeToLive.ONE_YEAR,
        anywhere=True,
        refuse=r"(?:I|School|College|Bed|Step|Page|Section|Chapter|Excel|Python)\b",
        example=(
            "I visited a shrine when I was in Japan a few months ago.",
            "Was in Japan a few months ago.",
        ),
        counter="I visited a shrine when I was in trouble.",
    ),
    rule(
        "visited",
        rf"{_PERFECT}{_JUST} visited\s(?P<place>(?:the\s)?{PLACE})(?P<with>(?:\swith my \w+)?){_WHEN}{END}",
        "Visited {place} {with} {when}.",
        slot="travel.{place}",
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=r"(?:the\s(?-i:[a-z]))",
        example=("We visited Lisbon last year.", "Visited Lisbon last year."),
        counter="We visited it last year.",
    ),
    rule(
        "took_course",
        rf"{_PERFECT}{_JUST} (?P<did>took|taken|completed|finished|passed|attended|ran|run|won|participated "
        rf"in|took part in|"
        rf"competed in|volunteered at|signed up for|enrolled in|registered for|performed (?:in|at)|led|"
        rf"organi[sz]ed)\s"
        rf"(?P<what>(?:{_COUNT}|my|my first|our|the)\s(?:[\w'&-]+\s){{0,6}}?{_COURSE}(?:\s(?:on|in|at|about|"
        rf"with|from|for|"
        rf"last|called)\s{PHRASE})?){END}",
        "{did} {what}.",
        slot="event.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.75,
        refuse=r"(?:the|some|several)\s\w+$|the\s(?:first|last|second|whole)\b|.*\b(?:it|that|this)$",
        example=(
            "I've already taken a Python programming course on edX.",
            "Taken a Python programming course on edX.",
        ),
        counter="I took the course you recommended.",
    ),
    rule(
        "was_ill",
        rf"(?:i|i've|i have){ADVERB} (?:had|got|caught|have|survived|beat|went through|gone through|been "
        rf"through)\s"
        rf"(?:an? (?:bad |mild |severe |nasty )?(?:case|bout) "
        rf"of\s)?(?P<what>{_ILLNESS}){_WHEN}(?=[\s,.;!)]|$)",
        "Had {what} {when}.",
        slot="health.past.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I recently had a bad case of bronchitis.", "Had bronchitis."),
        counter="I had a bad case of the giggles.",
    ),
    rule(
        "had_operation",
        rf"i(?:'ve)?{ADVERB} (?:had|got|underwent|am having)\s(?P<what>{_OPERATION}){_WHEN}(?=[\s,.;!)]|$)",
        "Had {what} {when}.",
        slot="health.operation.{what}",
        time_to_live=TimeToLive.INFINITY,
        example=("I had knee surgery in April.", "Had knee surgery in April."),
        counter="I had my doubts removed.",
    ),
    rule(
        "recovering",
        rf"(?:i\s?'m|i am){ADVERB} recovering from\s(?P<what>(?:an?|my|the)?\s?(?!this|that|it\b){PHRASE})",
        "Is recovering from {what}.",
        slot="health.recovering",
        time_to_live=TimeToLive.ONE_QUARTER,
        refuse=r"(?:my|the|an?)\s(?:night|weekend|day|week|shock|party|error)\b|(?:yesterday|last)\b|.*\bflight\b",
        example=("I'm recovering from a broken ankle.", "Is recovering from a broken ankle."),
        counter="I'm recovering from that.",
    ),
    rule(
        "used_to_be",
        rf"i{ADVERB} used to be\s(?P<what>(?:an?\s)?(?:{DIET}|(?:\w+ )?smoker|overweight|religious|catholic|"
        rf"married))(?=\s*(?:[,.;!)]|$)"
        rf"|\s(?:and|but|so|until|before|for|in|when|to)\b)",
        "Is no longer {what}.",
        slot="past.{what}",
        example=("I used to be vegan.", "Is no longer vegan."),
        counter="I used to be vegan curious.",
    ),
    rule(
        "used_to",
        rf"i{ADVERB} used to (?P<what>(?:be\s(?:an?\s)?(?:[\w-]+\s){{0,3}}?(?:{OCCUPATION}|drinker|"
        rf"runner|gymnast|swimmer|cyclist|athlete|morning person|night owl|competitive \w+|"
        rf"in (?:the )?(?:army|navy|military|sales|marketing|finance|\w+ band))|work (?:in|at|for|"
        rf"as)\s{PHRASE}|"
        rf"(?:play|swim|run|dance|sing|teach|race|coach|row|box|fence|figure skate|ski|surf|climb|own|have|"
        rf"breed|collect|"
        rf"drive|ride|compete|volunteer|smoke|drink)\b(?:\s{PHRASE})?)){END}",
        "Used to {what}.",
        slot="past.{what}",
        refuse=(
            rf"(?:have|own|run|play|drive|ride)\s(?:{POINTING}|an? (?:problem|lot|hard|similar|few)|"
            rf"problems|trouble|issues|into)|"
            rf"work in (?:fear|this|that|my|the)\b|.*\b(?:it|that|this|them)$"
        ),
        example=("I used to be a teacher.", "Used to be a teacher."),
        counter="I used to be a big kid.",
    ),
    rule(
        "worked_at",
        rf"i{ADVERB} (?:worked|interned|was employed) (?P<how>as an?|at|"
        rf"for)\s(?P<what>(?:(?-i:[A-Z])[\w&.-]*(?:\s"
        rf"(?-i:[A-Z])[\w&.-]*){{0,3}}|an?\s{PHRASE}|(?:[\w-]+\s){{0,3}}?{OCCUPATION}))(?P<when>(?:\s(?:for|"
        rf"from|until|in|"
        rf"back in|after|before)\s{PHRASE})?)",
        "Worked {how} {what} {when}.",
        slot="work.past.{what}",
        refuse=rf"an? (?:while|bit|lot|time|living|day|week|month|year|solution|fix)\b|{POINTING}",
        example=("I worked at Globex for six years.", "Worked at Globex for six years."),
        counter="I worked at it for six years.",
    ),
    rule(
        "left_employer",
        rf"i(?:'ve)?{ADVERB} left\s(?P<org>{NAME}|(?!home|school|work|town|there|early|late|college|"
        rf"uni)[a-z][\w&.-]{{2,15}}(?=\s(?:in|after) (?:19|20)?\d))\s"
        rf"(?P<when>(?:last|in|after|two|three|a few|to)\s(?!the\b|my\b){PHRASE})",
        "Left {org} {when}.",
        slot="work.left.{org}",
        refuse=r"(?:I|Work|School|Home)\b",
        example=("I left Google in 2022.", "Left Google in 2022."),
        counter="I left home in a hurry.",
    ),
    rule(
        "retired",
        rf"i(?:'ve| have)?{ADVERB} retired(?P<when>(?:\s(?:in|from|at|last|two|three|four|five|a|after|as|"
        rf"early)\b"
        rf"(?:\s{PHRASE})?)?)(?=\s*(?:[.,;!)]|$)|\s(?:and|but|so|after)\b)",
        "Retired {when}.",
        slot="work.retired",
        exclusive=True,
        confidence=0.9,
        example=("I retired two years ago.", "Retired two years ago."),
        counter="I retired the old server.",
    ),
    rule(
        "graduated_in",
        rf"i{ADVERB} (?P<did>graduated|dropped out of|got into|got accepted (?:to|into)|transferred to|"
        rf"majored in|"
        rf"minored in|got my (?:degree|phd|master'?s?|bachelor'?s?|mba) (?:in|from|"
        rf"at))(?P<what>\s(?:(?:with|in|from|last|college|"
        rf"university|high school|school|law|med|cum|summa|top|early)\b|(?-i:[A-Z]))(?:\s?{PHRASE})?|"
        rf"\s\w+){END}",
        "{did} {what}.",
        slot="education.{did}",
        refuse=r"(?:it|that|this|to)\b|into (?:it|a|the)\b",
        example=(
            "I graduated last year with a degree in physics.",
            "Graduated last year with a degree in physics.",
        ),
        counter="I graduated to a bigger bike.",
    ),
    rule(
        "cancelled",
        rf"{_PERFECT}{ADVERB} (?P<did>cancell?ed|called off|postponed)\s(?P<what>(?:the|our|"
        rf"my)\s(?:[\w-]+\s){{0,2}}?"
        rf"(?:trip|wedding|vacation|holiday|flight|visit|honeymoon|party|move|cruise|subscription|"
        rf"membership|gym membership|"
        rf"appointment|surgery|interview)(?:\s(?:to|in|on|with|at|for)\s{PHRASE})?){END}",
        "{did} {what}.",
        slot="cancelled.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=r"(?:the|my|our)\s(?:flight|visit|appointment|trip|subscription)$",
        example=("We cancelled the trip to Iceland.", "Cancelled the trip to Iceland."),
        counter="We cancelled the order.",
    ),
    rule(
        "came_from",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?:(?:moved|came|relocated) here|immigrated|emigrated|moved over)"
        rf"(?: to the (?:us|uk|states))? from\s(?P<place>{NAME}){_WHEN}{END}",
        "Moved from {place} {when}.",
        slot="location.origin",
        relation="from",
        example=("I moved here from Brazil three years ago.", "Moved from Brazil three years ago."),
        counter="I moved here from the other office.",
    ),
)
