"""What is due, booked or expected on a day: deadlines, appointments, absences, births."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, DATE, PERIOD, WE_ARE

_EVENT = (
    r"(?:(?:dentist|dental|doctor|doctor's|vet|hair|medical|therapy|eye|physio|tax|visa|driving|job|mri|hospital|"
    r"follow-up|final|oral|math|maths|german|english|french|history|biology|chemistry|physics|piano|music|"
    r"performance|board|team|parent-teacher|phone|video)\s){0,2}(?:appointment|interview|exam|surgery|operation|"
    r"check-?up|scan|driving test|court hearing|hearing|recital|defen[cs]e|biopsy|presentation|audition)"
)
_WITH = r"(?:\s(?:with|at|for|in)\s(?!\d|noon)(?:[\w'&.-]+\s?){1,4}?)?"

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
        rf"my\s(?P<what>(?:[\w'-]+\s){{0,2}}?(?:thesis|dissertation|paper|essay|report|assignment|homework|project|"
        rf"application|proposal|tax return|taxes|rent|presentation|manuscript|draft|grant application))\s(?:is|"
        rf"are) due"
        rf"\s(?:on\s|by\s)?(?P<when>{DATE})",
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
        rf"finish)\s(?:my|our|the)"
        rf"\s(?:[\w'-]+\s){{1,3}}?by\s{DATE})",
        "Has to {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("I have to hand in my thesis by June 3rd.", "Has to hand in their thesis by June 3rd."),
        counter="I have to hand in my badge.",
    ),
    rule(
        "appointment",
        rf"(?:(?:i|we){ADVERB} have|i've got|we've got|i got)\s(?P<what>(?:an?|my|our)\s{_EVENT}{_WITH}"
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
        rf"my\s(?P<what>{_EVENT}{_WITH})\s(?:is|was moved to|has been moved to|is scheduled for|is set for|"
        rf"is booked for)\s"
        rf"(?:on\s|at\s)?(?P<when>{DATE})",
        "{what} is {when}.",
        slot="plan.{what}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("My job interview is on Monday.", "Job interview is Monday."),
        counter="My interview is important.",
    ),
    rule(
        "absence",
        rf"(?:{WE_ARE}|i'll be|i will be|we'll be|we will be|{AM} going){ADVERB} (?P<what>(?:on|"
        rf"going on) (?:vacation|holidays?|"
        rf"leave|parental leave|maternity leave|paternity leave|sick leave|sabbatical|a sabbatical|honeymoon|"
        rf"our honeymoon|"
        rf"a business trip)|out of (?:the )?office|away|off work)\s(?P<when>{PERIOD})",
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
        rf"my (?P<what>(?:vacation|holidays?|leave|parental leave|maternity leave|paternity leave|sabbatical))\s"
        rf"(?P<how>is|starts|begins|runs|goes)\s(?:on\s)?(?P<when>{PERIOD})",
        "{what} {how} {when}.",
        slot="plan.absence",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("My vacation starts on 3 August.", "Vacation starts 3 August."),
        counter="My vacation is over.",
    ),
    rule(
        "starts_job",
        rf"(?:i'll|i will|{AM}|i'm going to|i){ADVERB} (?:start(?:ing)?|begin|join(?:ing)?|be joining|"
        rf"be starting)\s(?:(?:my|a)"
        rf"\snew job\s)?(?:at|with)\s(?P<org>(?-i:[A-Z])[\w&-]+(?:\s(?-i:[A-Z])[\w&-]+)?)\s(?P<when>(?:on\s)?{DATE})",
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
        rf"(?:{AM}|my (?P<kin>wife|partner|girlfriend|sister|"
        rf"daughter) is){ADVERB}\s(?P<what>(?:\d{{1,2}} (?:weeks|months) )?"
        rf"pregnant)(?:\swith (?P<more>our \w+|twins|a (?:boy|girl)))?(?:\sand|,)?\s(?:i'm |it's |the baby is |"
        rf"she's |she is )?"
        rf"(?:due|expecting)(?: date is)?\s(?:on\s)?(?P<when>{DATE})",
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
        rf"(?:i'll|i will|{AM})(?: be)? (?:turn|turning)\s(?P<age>\d{{2}})\s(?P<when>(?:on\s)?{DATE})",
        "Turns {age} {when}.",
        slot="plan.birthday",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm turning 40 in May.", "Turns 40 in May."),
        counter="I'm turning 40 pages in May.",
    ),
    rule(
        "wedding",
        rf"(?:my|our) (?P<what>wedding|honeymoon|graduation|retirement|house ?warming)\s(?:is|is planned for|"
        rf"is set for)\s"
        rf"(?:on\s)?(?P<when>{DATE})",
        "{what} is {when}.",
        slot="plan.{what}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("Our wedding is on 12 September.", "Wedding is 12 September."),
        counter="Our wedding is small.",
    ),
)
