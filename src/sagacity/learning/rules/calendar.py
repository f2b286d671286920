"""What is due, booked or expected on a day: deadlines, appointments, absences, births."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, DATE, END, PERIOD, PLACE, WE_ARE

_EVENT = (
    r"(?:(?:dentist|dental|doctor|doctor's|vet|hair|medical|therapy|eye|physio|tax|visa|driving|job|mri|"
    r"hospital|follow-up|final|oral|math|maths|german|english|french|history|biology|chemistry|physics|piano|"
    r"music|performance|board|team|parent-teacher|phone|video|hip|knee|back|heart|cataract|shoulder|foot|hand|"
    r"spine|tonsil|hernia|bypass|wisdom tooth|laser)\s){0,2}(?:appointment|interview|exam|surgery|"
    r"operation|check-?up|scan|driving test|court hearing|hearing|recital|defen[cs]e|biopsy|presentation|"
    r"audition)"
)
_WEEKDAYS = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?:(?:,| and|, and| or)\s(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)days?){0,4}|weekends|weekdays)"
)
_CLOCK = r"(?:\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\b\.?)?|noon|midnight)"
_EACH = rf"(?:\s(?:every (?:other )?\w*day|daily|every (?:week|morning)|each day|on {_WEEKDAYS}))?"
_WITH = r"(?:\s(?:with|at|for|in)\s(?!\d|noon)[\w'&.-]+(?:\s[\w'&.-]+){0,3}?\s?)?"

CALENDAR: Final[tuple[Rule, ...]] = (
    rule(
        "deadline_is",
        rf"(?:the|my|our)\s(?P<of>(?:[\w'-]+\s){{0,3}}?deadline(?:\s(?:for|of)(?:\s[\w'-]+){{1,5}}?)?)\s"
        rf"(?:is|has been (?:moved|postponed) to|was (?:moved|postponed) to|moved to)\s(?:on\s|"
        rf"by\s)?(?P<when>{DATE})",
        "{of} is {when}.",
        slot="plan.{of}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("The deadline for the project is Friday.", "Deadline for the project is Friday."),
        counter="The deadline is tight.",
    ),
    rule(
        "due",
        rf"my\s(?P<what>(?:[\w'-]+\s){{0,2}}?(?:thesis|dissertation|paper|essay|report|assignment|homework|"
        rf"project|application|proposal|tax return|taxes|rent|presentation|manuscript|draft|grant "
        rf"application))\s(?:is|are) due\s(?:on\s|by\s)?(?P<when>{DATE})",
        "{what} is due {when}.",
        slot="plan.{what}.due",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("My thesis is due on 3 June.", "Thesis is due 3 June."),
        counter="My thesis is due for a rewrite.",
    ),
    rule(
        "hand_in",
        rf"(?:i|we){ADVERB} (?:have|need|must|has) (?:to )?(?P<what>(?:submit|hand in|turn in|deliver|"
        rf"finish)\s(?:my|our|the)\s(?:[\w'-]+\s){{1,3}}?by\s{DATE})",
        "Has to {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("I have to hand in my thesis by June 3rd.", "Has to hand in their thesis by June 3rd."),
        counter="I have to hand in my badge.",
    ),
    rule(
        "appointment",
        rf"(?:(?:i|we){ADVERB} (?:have|got)|i've got|we've got)\s(?P<what>(?:an?|my|our)\s{_EVENT}{_WITH}"
        rf"\s(?:on\s)?{DATE}{_WITH})(?=[\s,.;!)]|$)",
        "Has {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        refuse=r".*\b(?:anxiety|list|and|but)\b",
        example=(
            "I have a dentist appointment on Tuesday at 3pm.",
            "Has a dentist appointment on Tuesday at 3pm.",
        ),
        counter="I have an appointment.",
    ),
    rule(
        "appointment_is",
        rf"(?:my|our)\s(?P<what>(?:{_EVENT}|(?:return |connecting )?(?:flight|train|bus|ferry|trip)\s(?:to|from|back "
        rf"to)\s{PLACE}){_WITH})\s(?:is|leaves|was moved to|has been moved to|is scheduled for|is set for|is booked "
        rf"for)\s(?:on\s|at\s)?(?P<when>{DATE})",
        "{what} is {when}.",
        slot="plan.{what}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("My job interview is on Monday.", "Job interview is Monday."),
        counter="My interview is important.",
    ),
    rule(
        "absence",
        rf"(?:{WE_ARE}|i'll be|i will be|we'll be|we will be|{AM} going){ADVERB} (?P<what>(?:on|going on) "
        rf"(?:vacation|holidays?|leave|parental leave|maternity leave|paternity leave|sick leave|sabbatical|"
        rf"a sabbatical|honeymoon|our honeymoon|a business trip)|out of (?:the )?office|away|off "
        rf"work)\s(?P<when>{PERIOD})",
        "Is {what} {when}.",
        slot="plan.absence",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=(
            "I'll be on vacation from 1 to 14 December.",
            "Is on vacation from 1 to 14 December.",
        ),
        counter="I'll be on vacation when it rains.",
    ),
    rule(
        "my_absence",
        rf"my (?P<what>(?:vacation|holidays?|leave|parental leave|maternity leave|paternity leave|"
        rf"sabbatical))\s(?P<how>is|starts|begins|runs|goes)\s(?:on\s)?(?P<when>{PERIOD})",
        "{what} {how} {when}.",
        slot="plan.absence",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("My vacation starts on 3 August.", "Vacation starts 3 August."),
        counter="My vacation is over.",
    ),
    rule(
        "starts_job",
        rf"(?:i'll|i will|{AM}|i'm going to|i){ADVERB} (?:start(?:ing)?|begin|join(?:ing)?|be joining|be "
        rf"starting)\s(?:(?:my|a)\snew job\s)?(?:at|"
        rf"with)\s(?P<org>(?-i:[A-Z])[\w&-]+(?:\s(?-i:[A-Z])[\w&-]+)?)\s(?P<when>(?:on\s)?{DATE})",
        "Starts at {org} {when}.",
        slot="plan.job",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        relation="starts_at",
        example=("I start at Bosch in May.", "Starts at Bosch in May."),
        counter="I start at nine.",
    ),
    rule(
        "expecting",
        rf"(?:{AM}|my (?P<kin>wife|partner|girlfriend|sister|daughter) is){ADVERB}\s(?P<what>(?:\d{{1,2}} "
        rf"(?:weeks|months) )?pregnant)(?:\swith (?P<more>our \w+|twins|a (?:boy|girl)))?(?:\sand|"
        rf",)?\s(?:i'm |it's |the baby is |she's |she is )?(?:due|expecting)(?: date "
        rf"is)?\s(?:on\s)?(?P<when>{DATE})",
        "{kin} is {what} {more}, due {when}.",
        slot="family.pregnancy",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.9,
        example=("I'm pregnant, due in June.", "Is pregnant, due in June."),
        counter="She is pregnant, due in June.",
    ),
    rule(
        "due_date",
        rf"(?:my|our) (?:due date is|baby is due|(?:first|second|third) (?:child|"
        rf"baby) is due)\s(?:on\s)?(?P<when>{DATE})",
        "Baby is due {when}.",
        slot="family.due_date",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("Our baby is due in June.", "Baby is due in June."),
        counter="My due date is unclear.",
    ),
    rule(
        "turns",
        rf"(?:i|i'll|i will|{AM}){ADVERB}(?: be)? (?:turn|turning)\s(?P<age>\d{{2}})\s(?P<when>(?:on\s)?{DATE})",
        "Turns {age} {when}.",
        slot="plan.birthday",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm turning 40 in May.", "Turns 40 in May."),
        counter="I'm turning 40 pages in May.",
    ),
    rule(
        "wedding",
        rf"(?:my|our) (?P<what>wedding|honeymoon|graduation|retirement|house ?warming)\s(?:is|is planned "
        rf"for|is set for)\s(?:on\s)?(?P<when>{DATE})",
        "{what} is {when}.",
        slot="plan.{what}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("Our wedding is on 12 September.", "Wedding is 12 September."),
        counter="Our wedding is small.",
    ),
    rule(
        "recurring",
        rf"(?:(?:i|we){ADVERB}(?:'ve)? (?:have|got|attend|go to|do|teach|host)|i've got|we've "
        rf"got)\s(?P<what>(?:an?\s|my\s|our\s)?(?!to\b|the\b|"
        rf"been\b)(?:[\w'&/-]+\s){{1,5}}?(?:on\s(?=\w+days\b){_WEEKDAYS}|every\s{_WEEKDAYS}|every (?:single "
        rf"|other |second )?(?:morning|evening|night|day|week|month|year|weekday)|on weekends|on weekdays|"
        rf"(?:once|twice|\w+ times) a (?:day|week|month|"
        rf"year))(?:\sat\s(?:\d{{1,2}}(?::\d\d)?\s?(?:[ap]\.?m\b\.?)?|noon))?)(?=\s*(?:[,.;!?)](?!\d)|$)|"
        rf"\s(?:and|but|so|with|at|which|from|after|before|because|for|in)\b)",
        "Has {what}.",
        slot="habit.{what}",
        confidence=0.8,
        refuse=(
            r"(?:an?|my|our)?\s?(?:time|lot|bit|problem|question|same|plan|trouble|free|nothing|work)\b|"
            r".*\b(?:it|this|that|them|want|need|plan|idea|thinking|not)\b"
        ),
        example=("I have a cocktail-making class on Fridays.", "Has a cocktail-making class on Fridays."),
        counter="I have to work on Fridays.",
    ),
    rule(
        "on_days",
        rf"{WE_ARE}{ADVERB} (?P<what>on call|free|busy|available|unavailable|off(?: work)?|working|in the "
        rf"office|working from home|home|at the office|on duty)\s(?P<when>(?:on|"
        rf"every)\s{_WEEKDAYS})(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so)\b)",
        "Is {what} {when}.",
        slot="work.days.{what}",
        exclusive=True,
        example=("I'm on call on Sundays, vet life.", "Is on call on Sundays."),
        counter="I'm on call for Sunday.",
    ),
    rule(
        "days_off",
        rf"(?:i|we){ADVERB} have (?P<when>{_WEEKDAYS}) (?P<what>off|free)|my (?P<when2>{_WEEKDAYS}|"
        rf"mornings|evenings|afternoons) are (?:usually |always |mostly )?(?P<what2>free|busy|packed|open|"
        rf"for\s(?!it\b|that\b|this\b)[\w ]{{2,40}}?)(?=\s*(?:[,.;!)]|$))",
        "Has {when}{when2} {what}{what2}.",
        slot="work.days.off",
        example=("I have Fridays off.", "Has Fridays off."),
        counter="I have Fridays in mind.",
    ),
    rule(
        "free_after",
        rf"{WE_ARE}{ADVERB}(?: usually| always| normally| generally| only| most)? (?P<what>free|available|"
        rf"busy|home|off|at work|in meetings|asleep|unavailable) (?P<when>(?:after|before|until|from|"
        rf"between)\s{_CLOCK}(?:\s(?:to|and|until|-)\s{_CLOCK})?(?:\s(?:on {_WEEKDAYS}|every day|most "
        rf"days))?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so)\b)",
        "Is {what} {when}.",
        slot="work.days.{what}",
        exclusive=True,
        confidence=0.75,
        example=("I'm usually free after 6.", "Is free after 6."),
        counter="I'm free after lunch.",
    ),
    rule(
        "recurring_is",
        rf"(?:my|our)\s(?P<what>(?:[\w'-]+\s){{0,3}}?(?:class|classes|lessons?|practice|rehearsals?|"
        rf"meetings?|stand-?ups?|therapy|sessions?|shifts?|training|workouts?|choir|band practice|book club|"
        rf"church|game night|date night|poker night|trash day|day off|days off|payday|bedtime|lunch break|"
        rf"gym time|market day|one-on-ones?|1:1s?))\s(?:is|are)(?: usually| always| "
        rf"normally)?\s(?P<when>(?:on\s|every\s)?{_WEEKDAYS}(?:\sat\s{_CLOCK})?|(?:(?:at|"
        rf"around)\s)?\d{{1,2}}(?::\d\d|\s?[ap]\.?m)\b{_EACH}|(?:at|around)\s{_CLOCK}{_EACH}|every (?:other "
        rf")?\w+day(?:\sat\s{_CLOCK})?|(?:\w+\s)?times a week)(?=\s*(?:[,.;!?)](?!\d)|$)|\s(?:and|but|so|"
        rf"which|with|from|until)\b)",
        "{what} is {when}.",
        slot="habit.{what}.when",
        exclusive=True,
        example=("My yoga class is on Mondays at 6pm.", "Yoga class is on Mondays at 6pm."),
        counter="My class is on fire.",
    ),
    rule(
        "open_on",
        rf"(?:my|our) (?P<of>(?:\w+ )?(?:shop|store|cafe|caf\u00e9|restaurant|bakery|bar|salon|studio|clinic|"
        rf"practice|gym|"
        rf"office|school|market stall|museum|library))(?:'s| is) (?P<what>(?:closed|open|shut))(?: only)? (?:on )?"
        rf"(?P<when>(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days(?:,? and |, )?){{1,5}}|weekends){END}",
        "{of} is {what} on {when}.",
        slot="work.{of}.{what}",
        exclusive=True,
        example=("Our shop is closed on Mondays.", "Shop is closed on Mondays."),
        counter="Our shop is closed on Monday for stocktaking.",
    ),
    rule(
        "expires",
        rf"(?:my|our)\s(?P<what>(?:[\w'-]+\s){{0,2}}?(?:lease|contract|insurance|subscription|membership|"
        rf"warranty|probation|residency|internship|semester|term|fellowship|mortgage|tenancy|notice period|"
        rf"trial|permit))\s(?P<how>ends|expires|is up|runs out|renews|starts|begins|ran out|expired|"
        rf"finishes)\s(?:on\s|at\s)?(?P<when>{DATE})",
        "{what} {how} {when}.",
        slot="plan.{what}.end",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("My lease ends in October.", "Lease ends in October."),
        counter="My lease ends badly.",
    ),
    rule(
        "our_anniversary",
        rf"(?:my|our) (?P<what>(?:wedding )?anniversary|due date|move-in date|closing date|start date|last "
        rf"day(?: at work)?|first day(?: at \w+)?|defen[cs]e|court date)\s(?:is|will "
        rf"be)\s(?:on\s)?(?P<when>{DATE})",
        "{what} is {when}.",
        slot="plan.{what}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("Our anniversary is June 12.", "Anniversary is June 12."),
        counter="Our anniversary is a mess.",
    ),
    rule(
        "has_flight",
        rf"(?:(?:i|we){ADVERB} have|i've got|we've got)\s(?P<what>(?:an?|my|our|"
        rf"tickets)\s(?:[\w'-]+\s){{0,3}}?(?:flight|trip|tickets?|concert|wedding|reunion|conference|"
        rf"marathon|race|tournament|recital|performance|show|game|match|test|exam|party|baby shower|"
        rf"vacation|reservation|deadline|holiday|ceremony|visit|cruise|camping trip)(?:\s(?:to|in|at|for|"
        rf"with)\s[\w'.-]+(?:\s[\w'.-]+){{0,3}}?\s?)?\s(?:on\s|coming up\s)?(?:{DATE}|on the \d+\w*))(?=[\s,.;!)]|$)",
        "Has {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        refuse=r".*\b(?:it|this|that|them|to|today)$|.*\b(?:question|problem|issue|doubt|idea)\b",
        example=("I have a flight to London tomorrow.", "Has a flight to London tomorrow."),
        counter="I have a meeting.",
    ),
)
