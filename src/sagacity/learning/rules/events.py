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
    r"(?:course|courses|class|classes|certification|certificate|bootcamp|workshop|workshops|seminar|training|"
    r"degree|exam|exams|retreat|conference|summit|hackathon|lessons|license|diploma|internship|"
    r"apprenticeship|residency|fellowship|marathon|half[- ]marathon|triathlon|10k|5k|race|tournament|"
    r"competition|ironman|ultramarathon|program(?:me)?|challenge|festival|exhibition|play|musical|concert)"
)
_ILLNESS = (
    r"(?:bronchitis|pneumonia|covid(?:-19)?|(?:the )?flu|influenza|shingles|strep(?: throat)?|mono|kidney "
    r"stones?|appendicitis|a stroke|a heart attack|a miscarriage|a concussion|cancer|breast cancer|skin "
    r"cancer|(?:a )?sinus infections?|an? (?:ear|eye|kidney|urinary tract|chest|throat) infections?|a uti|"
    r"lyme disease|chickenpox|measles|tonsillitis|food poisoning|anaphyla\w+|gestational diabetes|postpartum "
    r"depression|a (?:panic attack|seizure|blood clot|slipped disc|herniated disc|burnout|breakdown|fall|car "
    r"accident))"
)
_OPERATION = (
    r"(?:(?:an?\s)?(?:\w+\s)?(?:knee|hip|heart|back|eye|lasik|shoulder|gallbladder|cataract|hernia|brain|"
    r"spinal|wisdom teeth|bariatric|open[- ]heart|foot|hand|wrist|ankle|acl|thyroid|prostate|plastic) "
    r"(?:surgery|operation|replacement|transplant)|(?:an?\s)?(?:c-section|hysterectomy|root canal|vasectomy|"
    r"mastectomy|colonoscopy|kidney transplant|bypass|ivf)|my (?:appendix|tonsils|gallbladder|wisdom teeth|"
    r"thyroid|spleen)\s(?:out|removed|taken out))"
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
        rf"through|around|across)\s(?P<place>{PLACE})\s(?:(?:for|with)\s(?:[\w']+\s){{1,4}}?)?(?=(?:last|in|"
        rf"for|two|three|a|on)\s)(?P<when>(?:last\s(?:summer|winter|spring|fall|autumn|year|month|week|"
        rf"week(?:end)|(?-i:[A-Z])\w+)|in\s(?:{DATE})|for\s(?:{_SPAN}|christmas|our honeymoon|my honeymoon|"
        rf"the holidays|my birthday|a wedding|work)|{_SPAN} ago|a (?:few|couple(?: of)?) \w+ ago|on "
        rf"(?:vacation|holiday|our honeymoon|my honeymoon|business))(?:\s(?:in|last)\s{DATE})?)",
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
        rf"(?:{_PERFECT}{_JUST} (?:got|came|come|returned)(?: back)?|(?:i'm|i am|we're|we are){_JUST} back) "
        rf"from\s(?P<what>(?:(?:an?|my|our)\s(?:[\w-]+\s){{0,4}}?(?:trip|vacation|holiday|honeymoon|"
        rf"cruise|retreat|road trip|conference|tour)(?:\s(?:to|in|around|through|with)\s{PHRASE})?|"
        rf"(?P<place>{PLACE}){END}))",
        "Came back from {what}.",
        slot="travel.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=r"(?:I|Work|School|Costco|Walmart|Target|IKEA|Ikea|Starbucks)\b",
        example=("I just got back from a road trip to Utah.", "Came back from a road trip to Utah."),
        counter="I'm from Marketing.",
    ),
    rule(
        "was_in",
        rf"(?:\bwhen (?:i|we) (?:was|were)|\bwhile (?:i|we) (?:was|were)|{_PERFECT}{_JUST} "
        rf"spent\s(?P<span>{_SPAN})(?: \w+ing(?: \w+)?)?) in\s(?P<place>(?!the\s){PLACE}){_WHEN}",
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
        rf"in|took part in|competed in|volunteered at|signed up for|enrolled in|registered for|performed "
        rf"(?:in|at)|led|organi[sz]ed)\s(?P<what>(?:(?:{_COUNT}|my|my first|our|the)\s|"
        rf"(?=(?:[\w-]+\s){{1,3}}(?:lessons|classes|workshops)\b))(?:[\w'&-]+\s){{0,6}}?{_COURSE}(?:\s(?:on|"
        rf"in|at|about|with|from|for|last|called)\s{PHRASE})?){END}",
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
        rf"through)\s(?:an? (?:bad |mild |severe |nasty )?(?:case|bout) "
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
        refuse=(
            r"(?:my|the|an?)\s(?:night|weekend|day|week|shock|party|error)\b|(?:yesterday|last)\b|"
            r".*\bflight\b"
        ),
        example=("I'm recovering from a broken ankle.", "Is recovering from a broken ankle."),
        counter="I'm recovering from that.",
    ),
    rule(
        "used_to_be",
        rf"i{ADVERB} used to be\s(?P<what>(?:an?\s)?(?:{DIET}|(?:\w+ )?smoker|overweight|religious|catholic|"
        rf"married))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|until|before|for|in|when|to)\b)",
        "Is no longer {what}.",
        slot="past.{what}",
        example=("I used to be vegan.", "Is no longer vegan."),
        counter="I used to be vegan curious.",
    ),
    rule(
        "used_to",
        rf"i{ADVERB} used to (?P<what>(?:be\s(?:an?\s)?(?:[\w-]+\s){{0,3}}?(?:{OCCUPATION}|drinker|runner|"
        rf"gymnast|swimmer|cyclist|athlete|morning person|night owl|competitive \w+|in (?:the )?(?:army|"
        rf"navy|military|sales|marketing|finance|\w+ band))|work (?:in|at|for|as)\s{PHRASE}|(?:play|swim|"
        rf"run|dance|sing|teach|race|coach|row|box|fence|figure skate|ski|surf|climb|own|have|breed|collect|"
        rf"drive|ride|compete|volunteer|smoke|drink)\b(?:\s{PHRASE})?)){END}",
        "Used to {what}.",
        slot="past.{what}",
        refuse=(
            rf"(?:have|own|run|play|drive|ride)\s(?:{POINTING}|an? (?:problem|lot|hard|similar|few)|problems|"
            rf"trouble|issues|into)|work in (?:fear|this|that|my|the)\b|.*\b(?:it|that|this|them)$"
        ),
        example=("I used to be a teacher.", "Used to be a teacher."),
        counter="I used to be a big kid.",
    ),
    rule(
        "worked_at",
        rf"i{ADVERB} (?:worked|interned|was employed) (?P<how>as an?|at|"
        rf"for)\s(?P<what>(?:(?-i:[A-Z])[\w&.-]*(?:\s(?-i:[A-Z])[\w&.-]*){{0,3}}|an?\s{PHRASE}|"
        rf"(?:[\w-]+\s){{0,3}}?{OCCUPATION}))(?P<when>(?:\s(?:for|from|until|in|back in|after|"
        rf"before)\s{PHRASE})?)",
        "Worked {how} {what} {when}.",
        slot="work.past.{what}",
        refuse=rf"an? (?:while|bit|lot|time|living|day|week|month|year|solution|fix)\b|{POINTING}",
        example=("I worked at Globex for six years.", "Worked at Globex for six years."),
        counter="I worked at it for six years.",
    ),
    rule(
        "left_employer",
        rf"i(?:'ve)?{ADVERB} left\s(?P<org>{NAME}|(?!home|school|work|town|there|early|late|college|"
        rf"uni)[a-z][\w&.-]{{2,15}}(?=\s(?:in|after) (?:19|20)?\d))\s(?P<when>(?:last|in|after|two|three|a "
        rf"few|to)\s(?!the\b|my\b){PHRASE})",
        "Left {org} {when}.",
        slot="work.left.{org}",
        refuse=r"(?:I|Work|School|Home)\b",
        example=("I left Google in 2022.", "Left Google in 2022."),
        counter="I left home in a hurry.",
    ),
    rule(
        "retired",
        rf"i(?:'ve| have)?{ADVERB} retired(?P<when>(?:\s(?:in|from|at|last|two|three|four|five|a|after|as|"
        rf"early)\b(?:\s{PHRASE})?)?)(?=\s*(?:[.,;!)]|$)|\s(?:and|but|so|after)\b)",
        "Retired {when}.",
        slot="work.retired",
        exclusive=True,
        confidence=0.9,
        example=("I retired two years ago.", "Retired two years ago."),
        counter="I retired the old server.",
    ),
    rule(
        "cancelled",
        rf"{_PERFECT}{ADVERB} (?P<did>cancell?ed|called off|postponed)\s(?P<what>(?:the|our|"
        rf"my)\s(?:[\w-]+\s){{0,2}}?(?:trip|wedding|vacation|holiday|flight|visit|honeymoon|party|move|"
        rf"cruise|subscription|membership|gym membership|appointment|surgery|interview)(?:\s(?:to|in|on|"
        rf"with|at|for)\s{PHRASE})?){END}",
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
    rule(
        "sold",
        rf"{_PERFECT}{_JUST} (?P<did>sold|crashed|totaled|donated|gave away|got rid of|traded in|scrapped)\s"
        rf"(?P<what>(?:(?:my|our)\s(?:old\s)?(?:[\w-]+\s){{0,3}}?(?:car|truck|house|apartment|flat|condo|bike|"
        rf"motorcycle|"
        rf"boat|business|company|guitar|piano|camera|laptop|phone|horse|farm|land|stocks?|shares|van|rv|tv|desk|"
        rf"bakery|shop|restaurant|cabin|cottage)|the\s(?:car|house|van|boat|flat|apartment|farm|bikes?)|"
        rf"(?:my|our|the)\s(?:old\s|\d{{4}}\s)?(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z0-9])[\w-]*){{0,3}})"
        rf"(?:\sin\s{PLACE})?){_WHEN}(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because|since|to|for|when|after)\b)",
        "{did} {what} {when}.",
        slot="sold.{what}",
        example=("We sold the Golf and bought a Kia.", "Sold the Golf."),
        counter="I sold my old ideas.",
    ),
    rule(
        "gave",
        rf"{_PERFECT}{_JUST} gave (?P<what>(?:my|our)\s(?:old\s)?(?:[\w-]+\s){{0,3}}?(?:car|bike|guitar|piano|camera|"
        rf"laptop|phone|tv|desk|tablet|watch|couch|sofa|bed))\sto\s(?P<to>(?:my|our|a|the)\s[\w' -]{{2,30}}?|{NAME})"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because|since|last|when|after)\b)",
        "Gave {what} to {to}.",
        slot="sold.{what}",
        example=("I gave my road bike to my sister.", "Gave their road bike to their sister."),
        counter="I gave my phone number to the clerk.",
    ),
    rule(
        "parted",
        rf"{_PERFECT}{_JUST} (?P<did>broke up|broken up|split up) with\s(?P<who>my\s(?:girlfriend|boyfriend|partner|"
        rf"fianc\u00e9e?|fiancee?))(?:\s(?P<person>{NAME}))?{_WHEN}(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because|"
        rf"since)\b)",
        "Broke up with {who} {person} {when}.",
        slot="identity.partner",
        example=(
            "I broke up with my girlfriend Ana last month.",
            "Broke up with their girlfriend Ana last month.",
        ),
        counter="My sister broke up with my friend.",
    ),
    rule(
        "stopped",
        rf"i(?:'ve| have)?{ADVERB} (?P<did>stopped|cut out|cut down on|cut back on|given up|quit|gave "
        rf"up)\s(?P<what>(?:drinking|smoking|vaping|eating|using|going to|taking|"
        rf"playing|watching)(?:\s(?!it\b|this\b|that\b|them\b|here\b){PHRASE})?|sugar|alcohol|caffeine|"
        rf"coffee|dairy|gluten|carbs|meat|red meat|soda|processed food|salt|"
        rf"social media|bread|sweets|fast food|junk food){END}",
        "{did} {what}.",
        slot="habit.{what}",
        exclusive=True,
        refuse=r"(?:using|going to|taking|watching) (?:the|it|that)\b|.*\b(?:it|that|this|them)$",
        example=("I've cut out sugar.", "Cut out sugar."),
        counter="I stopped watching it.",
    ),
    rule(
        "tried_test",
        rf"i(?:'ve)?{_JUST} (?P<did>passed|failed|retook|took)\s(?P<what>(?:my|the)\s(?:(?:driving|"
        rf"citizenship|bar|final|board|math|english|gre|gmat|sat|mcat|lsat|ielts|toefl|cpa|"
        rf"nclex|naturalization|german|french|spanish|aws)\s?)+(?:test|exam|exams|"
        rf"certification)?){_WHEN}{END}",
        "{did} {what} {when}.",
        slot="event.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I passed my driving test.", "Passed their driving test."),
        counter="I passed my turn.",
    ),
    rule(
        "applying",
        rf"(?:i'm|i am|we're|we are){ADVERB} (?P<how>applying|interviewing|preparing|prepping|studying|"
        rf"auditioning|waiting to hear back) (?P<what>(?:to|for|at|with|from)\s(?:(?:law|med|medical|grad|"
        rf"graduate|business|art|nursing|vet) school|college|universit\w+|phd programs?|masters? programs?|"
        rf"(?:an?|the|my)\s(?:[\w-]+\s){{0,3}}?(?:job|role|position|internship|scholarship|visa|grant|green "
        rf"card|citizenship|mortgage|exam|test|certification|bar exam)|(?-i:[A-Z])[\w&]+)(?:\s(?:at|in|for|"
        rf"to)\s{PHRASE})?){END}",
        "Is {how} {what}.",
        slot="plan.applying",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        example=("I'm applying to law school.", "Is applying to law school."),
        counter="I'm applying for it.",
    ),
    rule(
        "never_has",
        rf"(?:i've|i have) never (?P<what>(?:used|tried|eaten|seen|read|played|flown|driven|ridden|owned|"
        rf"learned|cooked|baked|met|visited|lived|worked|smoked|drunk|gone|had|been|"
        rf"traveled|skied|swum|dated|broken|ordered|watched)\b\s?(?!it\b|this\b|that\b|them\b|one\b|"
        rf"before\b|anything\b|any\b|such\b|a problem\b|an issue\b|to\b|so\b|more\b){PHRASE})",
        "Has never {what}.",
        slot="never.{what}",
        confidence=0.75,
        refuse=(
            r".*\b(?:it|this|that|them|like this|these|those|errors?|issues?|problems?)\b|been (?:able|sure|"
            r"so|more|one|happier)\b|seen (?:a|an|the|such)\b|had (?:a|any|an|the)\b|.* before$"
        ),
        example=("I've never used Docker.", "Has never used Docker."),
        counter="I've never used it.",
    ),
)
