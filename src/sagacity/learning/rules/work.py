"""What the user does for a living: role, employer, field, team."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    DATE,
    END,
    HAVE_BEEN,
    NAME,
    OCCUPATION,
    PHRASE,
    PLACE,
    POINTING,
    STANDING,
    WE_ARE,
    WORD_FOR_TWO,
)
from sagacity.learning.rules.products import PRODUCT

_ROLE = (
    rf"(?P<role>(?:(?!fan\b|beginner\b)[\w&/+-]+\s){{0,5}}?{OCCUPATION}(?:\s(?:manager|developer|designer|"
    rf"student))?\b)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAYS = rf"(?:{_DAY}s?(?:(?:,? and |, ){_DAY}s?){{0,4}}|most days|weekdays)"
_SENIORITY = (
    r"(?:senior|junior|lead|principal|staff|chief|head|software|backend|frontend|full[- ]stack|freelance|"
    r"data|product)"
)
_ORG = (
    rf"(?P<org>(?:(?-i:St)\.\s)?{NAME}(?:\s(?:and|&)\s{NAME}(?=\s*(?:[.,;!?)](?!\w)|$))|'s(?=\s*(?:[.,;!?)](?!\w)|$)|"
    r"\s(?:and|but|so|in|as|on|since|btw|now|for|near|where|by|part|full)\b))?)"
)
"""An employer, or two at the end of a clause; the "'s" of "Sainsbury's" belongs to it where nothing follows that it
could have."""
_WORKED_WITH = (
    rf"(?:(?:our |the )?(?-i:[A-Z])|{PRODUCT}|(?:\w+\s){{0,2}}(?:children|kids|toddlers|teens|teenagers|students|"
    rf"animals|"
    r"horses|dogs|cats|patients|clients|customers|refugees|seniors|people|adults|families|youth|babies|newborns|"
    r"veterans|inmates|startups|nonprofits|companies|schools|wood|metal|steel|leather|clay|glass|textiles|paper|stone|"
    r"numbers|data|spreadsheets|databases|plants|flowers|bees|food|computers|robots|machines|lasers|chemicals|"
    r"electronics|hardware|software|models|maps)\b)"
)
"""What "I work with" says a trade of: names, programs, whom one serves, what one shapes."""
_NO_FIELD = (
    r"(?:(?:complete|total|absolute|relative|deep|short|long|small|large|\d+[- ]?\w*|one|two|three|four|"
    r"day|week|hour|minute|my|an?)\s)*(?:silence|peace|quiet|"
    r"bed|person|pairs?|secret|private|public|parallel|hurry|vain|circles|theory|practice|general|progress|tandem|"
    r"darkness|bursts?|batches|blocks?|chunks|sprints|minutes|hours|shifts|teams?|groups?|isolation|comfort|chaos|"
    r"pain|"
    r"fear|fits|spurts|pyjamas|pajamas|sweatpants|jeans|slippers|headphones|dark|light|dark mode|sync|harmony|style|"
    r"inches|feet|met(?:er|re)s|centimet\w+|miles|kilomet\w+|celsius|euros?|dollars|pounds|"
    r"mornings?|afternoons?|evenings?|summer|winter|spring|autumn|fall|way|room|rush|mess|corner|basement|attic|car|"
    r"garden|kitchen|front|return|exchange|advance)(?=\Z|\s(?:of|with|at|on|in|without|when|all|most|only|every|from|"
    r"by|"
    r"and)\b)|.*\b(?:idiots?|hashtags|emojis|bullet points)\b"
)
"""What one may work in or with without its being one's field."""

WORK: Final[tuple[Rule, ...]] = (
    rule(
        "role_at",
        rf"(?:{AM}{ADVERB}|i (?:currently )?work{ADVERB} as|i was hired as|i got hired as)\s(?:an?|"
        rf"the)\s{_ROLE}\s(?:at|for|with)\s{_ORG}",
        "Works as a {role} at {org}.",
        slot="work.role",
        exclusive=True,
        confidence=0.9,
        relation="works_at",
        example=("I'm a fashion buyer at Harrods so I know.", "Works as a fashion buyer at Harrods."),
        counter="I'm not a buyer at Harrods.",
    ),
    rule(
        "apposed_role_at",
        rf"(?:an?\s)?(?P<role>{_SENIORITY}\s(?:[\w-]+\s){{0,3}}?{OCCUPATION}\b)\s(?:at|for)\s{_ORG}",
        "Works as a {role} at {org}.",
        slot="work.role",
        exclusive=True,
        confidence=0.9,
        relation="works_at",
        example=(
            "Hi, I'm Elena Rodriguez, senior backend engineer at FinServe Corp.",
            "Works as a senior backend engineer at FinServe Corp.",
        ),
        counter="He is a senior engineer at FinServe.",
    ),
    rule(
        "works_as",
        rf"(?:i (?:currently )?work|{AM}{ADVERB} working){ADVERB} as\s(?:(?:an?|the)\s)?(?P<role>(?!hard\b|"
        rf"much\b|well\b|fast\b|long\b|expected\b|if\b|i\b){PHRASE})",
        "Works as a {role}.",
        slot="work.role",
        exclusive=True,
        example=("I work as a night porter.", "Works as a night porter."),
        counter="I work as hard as I can.",
    ),
    rule(
        "role",
        rf"(?:{AM}{ADVERB}|as)\s(?:an?)\s{_ROLE}(?P<where>(?:\s(?:at|for|in)\san?\s(?!(?:bit|lot|while|time|way|"
        rf"hurry|few)\b)"
        rf"{PHRASE})?)(?=[,.!;)]|\s(?:and|but|so|who|in|from|working|with|by|here|"
        rf"at|for|based|living|specializing|on|now|since|these|btw|-)\b|$|\s[-\u2013\u2014])",
        "Is a {role} {where}.",
        slot="work.role",
        exclusive=True,
        refuse=r"(?:good|bad|better|terrible|great|visual|fast|slow|quick|slightly|huge|big|little|bit|"
        r"happy|proud|regular|the)\b",
        example=("I'm a freelance designer and I work from home.", "Is a freelance designer."),
        counter="I'm not a lawyer, but that seems wrong.",
    ),
    rule(
        "the_role",
        rf"{AM}{ADVERB} the (?P<role>(?:(?:only|lead|head|chief|main|new|founding|sole)\s(?:[\w-]+\s)"
        rf"{{0,2}}?{OCCUPATION}|"
        r"(?:co-?)?founder|owner|ceo|cto|coo|cfo|cio|head of (?!the\b)[\w-]+(?:\s[\w-]+)?)(?:(?:,| and| &) (?:the )?"
        r"(?:ceo|cto|coo|cfo|owner|founder))?)(?P<where>(?:\s(?:at|of|in|for|on)\s(?!(?:this|that|it)\b)"
        rf"{PHRASE})?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|here)\b)",
        "Is the {role} {where}.",
        slot="work.role",
        exclusive=True,
        example=("I'm the cofounder and COO.", "Is the cofounder and COO."),
        counter="I'm the main character.",
    ),
    rule(
        "standing",
        rf"(?:{AM}{ADVERB}|as)\s(?:an?)\s(?P<what>(?:[\w&-]+\s){{0,3}}?{STANDING})(?=[,.!;)]|\s(?:and|but|"
        rf"so|who|of(?!\s(?:an?|one|two|three|four|five|six|\d)\b))\b|$|\s[-\u2013\u2014])",
        "Is a {what}.",
        slot="identity.{what}",
        refuse=r"(?:good|bad|better|terrible|great|huge|big|bit|happy|proud|the)\b",
        example=("I'm a fashion professional, I work with garments.", "Is a fashion professional."),
        counter="Is she a professional?",
    ),
    rule(
        "works_at",
        rf"(?:i (?:currently |now )?work|{AM}{ADVERB} working){ADVERB} (?:at|for)\s{_ORG}|{AM}{ADVERB} "
        rf"employed (?:at|by)\s(?P<product>{NAME})",
        "Works at {org}{product}.",
        slot="work.employer",
        exclusive=True,
        confidence=0.9,
        relation="works_at",
        example=("I work at Novartis these days.", "Works at Novartis."),
        counter="I worked at Novartis.",
    ),
    rule(
        "works_at_lower_case",
        r"i (?:currently |now |also )?work(?: part[- ]time| full[- ]time)? (?:at|for) (?P<org>(?!(?:home|"
        r"night|nights|the|my|a|an|it|least|all|free|money|fun|hours|days|myself|them|him|her|you|us|this|"
        r"that|our|your|one|two|three|me|him|noon|midnight|weekends|school|university|work|people|clients|"
        r"companies|several|many|various|some|different|small|large|big|long|over|about|"
        r"more)\b)(?-i:[a-z])[\w&.-]{1,20})(?=\s*(?:[,.;!)](?!\w)|$)|\s(?:and|as|in|but|so|now|btw|since)\b)",
        "Works at {org}.",
        slot="work.employer",
        exclusive=True,
        confidence=0.75,
        relation="works_at",
        example=("i work at bosch and like it", "Works at bosch."),
        counter="I work at night and sleep by day.",
    ),
    rule(
        "works_at_a",
        rf"i (?:currently |now )?work{ADVERB} (?:at|for)\s(?P<what>an?\s{PHRASE})",
        "Works at {what}.",
        slot="work.employer",
        exclusive=True,
        refuse=r"an? (?:time|distance|pace|loss|desk|discount|living|minimum|while)\b",
        example=("I work at a small clinic in Porto.", "Works at a small clinic in Porto."),
        counter="I work at a desk all day.",
    ),
    rule(
        "works_remotely_for",
        rf"i{ADVERB} work (?P<how>remotely|freelance|weekends) (?P<where>(?:for|at|in|from)\s(?!it\b|"
        rf"that\b){PHRASE})",
        "Works {how} {where}.",
        slot="work.employer",
        exclusive=True,
        example=("I work remotely for a company in Berlin.", "Works remotely for a company in Berlin."),
        counter="I work remotely.",
    ),
    rule(
        "on_shift",
        rf"{WE_ARE}{ADVERB} on (?P<what>(?:the )?(?:night|day|early|late|graveyard|swing|morning|evening) "
        rf"shifts?|disability|unemployment|welfare|a (?:student|tourist|work|"
        rf"working holiday|spouse) visa|probation|a gap year|sick leave|a tight budget|a fixed income|the "
        rf"(?:pill|spectrum|job market)|dialysis|testosterone|estrogen|chemo|"
        rf"a (?:low|high)[- ]\w+ diet|a (?:diet|cut|bulk)|medicaid|medicare)(?P<when>(?:\s(?:on\s|until\s|"
        rf"for\s)?(?:{DATE}|\w+ (?:months?|weeks?|years?)))?){END}",
        "Is on {what} {when}.",
        slot="life.on.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm on the night shift this month.", "Is on the night shift this month."),
        counter="I'm on the line.",
    ),
    rule(
        "new_job_starts",
        rf"(?:i|i'm|i'll|i will){ADVERB} (?:start|starting|begin|beginning) (?P<what>(?:my|a) new (?:job|"
        rf"role|position|school|course|degree|internship|career)|(?:college|university|uni|"
        rf"grad school|med school|law school|kindergarten|my (?:phd|masters?|degree|internship|"
        rf"apprenticeship|maternity leave|residency|freshman year|senior year)))"
        rf"(?P<more>(?:\s(?:at|as|with|in)\s(?!{DATE}){PHRASE})?)(?P<when>(?:\s(?:on\s|in\s)?{DATE})?){END}",
        "Starts {what} {more} {when}.",
        slot="plan.job",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("I start my new job on Monday.", "Starts their new job on Monday."),
        counter="I start my new job search.",
    ),
    rule(
        "works_from_home",
        rf"i (?:mostly |usually |currently )?work (?P<where>from home|remotely)(?P<when>(?:\son {_DAYS}|\severy {_DAY}|"
        rf"\s(?:{WORD_FOR_TWO}|one) days a week)?)",
        "Works {where} {when}.",
        slot="work.place",
        exclusive=True,
        example=("I'm a freelance designer and I work from home.", "Works from home."),
        counter="Can I work from home?",
    ),
    rule(
        "works_in",
        rf"(?:i|we){ADVERB} work{ADVERB} (?P<how>in|with(?=\s{_WORKED_WITH}))\s(?P<field>{PHRASE})",
        "Works {how} {field}.",
        slot="work.field",
        refuse=rf"{POINTING}|{_NO_FIELD}",
        example=(
            "Also, I work in TypeScript and Node.js, so show me that.",
            "Works in TypeScript and Node.js.",
        ),
        counter="I work with idiots.",
    ),
    rule(
        "industry",
        rf"(?:{WE_ARE}{ADVERB} in|{HAVE_BEEN}{ADVERB} (?:working )?in|i've worked "
        rf"in)\s(?P<field>(?:the\s)?(?!the\b|this\b|that\b|your\b)[\w-]+(?:\s(?:industry|sector|business|"
        rf"services|field))|fintech|healthcare|finance|education|marketing|tech|retail|insurance|sales|"
        rf"logistics|consulting|real estate|hospitality)\b",
        "Works in {field}.",
        slot="work.industry",
        exclusive=True,
        example=("We need this since we're in fintech and can't miss events.", "Works in fintech."),
        counter="We're in trouble.",
    ),
    rule(
        "small_company",
        r"(?:we're|we are) (?P<what>an?\s(?:\w+\s){0,3}(?:startup|company|agency|nonprofit|firm|studio|bank))",
        "Works at {what}.",
        slot="work.company",
        exclusive=True,
        example=("We're a small startup and I'm new.", "Works at a small startup."),
        counter="We're a bit late.",
    ),
    rule(
        "new_job",
        rf"i(?:'ve| have)?{ADVERB} (?:started|got|gotten|accepted|landed|found|took|taken|was offered and accepted)"
        rf"(?: working)?(?: a new| a| my new| the| this| that)?\s(?:(?!dream )[\w-]+\s)?(?:job|position|"
        rf"role|gig)\s(?P<how>at|as|with)\s(?P<what>(?:the\s(?-i:(?=[A-Z])))?{PHRASE})",
        "Has a job {how} {what}.",
        slot="work.employer",
        exclusive=True,
        refuse=rf"(?!the\s(?-i:[A-Z])){POINTING}",
        example=("I just started a new job at Globex.", "Has a job at Globex."),
        counter="I got a job offer yesterday.",
    ),
    rule(
        "joined_as",
        rf"i(?:'ve| have)?{ADVERB} joined\s{_ORG}(?:\s(?:last|this|in)\s\w+)?\sas\s(?:an?|the|their)\s(?:new\s)"
        rf"?{_ROLE}"
        rf"(?=[\s,.;!)]|$)",
        "Works as a {role} at {org}.",
        slot="work.role",
        exclusive=True,
        confidence=0.9,
        relation="works_at",
        refuse=r"(?:Reddit|Discord|Twitter|Facebook|Mastodon|Bluesky|LinkedIn|Strava|Duolingo|YouTube|Twitch|"
        r"TikTok)\b",
        example=("I just joined Tesco as a cashier.", "Works as a cashier at Tesco."),
        counter="I joined Reddit as a student.",
    ),
    rule(
        "left_job",
        rf"i{ADVERB} (?:no longer|don't)\swork (?:at|for)\s{_ORG}(?:\sany\s?more)?|i{ADVERB} (?:left|"
        rf"quit) my job at\s(?P<product>{NAME})",
        "No longer works at {org}{product}.",
        slot="work.employer",
        negates=True,
        example=("I no longer work at Globex.", "No longer works at Globex."),
        counter="I work at no fixed place.",
    ),
    rule(
        "works_hours",
        rf"i{ADVERB} work{ADVERB} (?P<what>part[- ]time|full[- ]time|night shifts?|nights|shifts|weekends|"
        rf"four days a week|\d+ (?:hours|days) (?:a|per) week|freelance)(?P<where>(?:\s(?:at|in|for)\s(?:an?|the)\s"
        rf"(?!(?:moment|minute|time|day)\b){PHRASE})?)(?=\s*(?:[,.;!)]|$)|\s(?:and|as|at|"
        rf"in|but|so)\b)",
        "Works {what} {where}.",
        slot="work.hours",
        exclusive=True,
        example=("I work part-time at a bakery.", "Works part-time at a bakery."),
        counter="Can I work part-time?",
    ),
    rule(
        "lost_job",
        rf"i{ADVERB} (?:just |recently )?(?P<did>lost|quit|left|resigned from) my (?P<what>job|"
        rf"position)(?P<more>(?:\s(?:as|at|last|in|this)\s[\w\s]{{2,30}}?)?){END}",
        "{did} their {what} {more}.",
        slot="work.employer",
        negates=True,
        example=("I lost my job last week.", "Lost their job last week."),
        counter="I lost my job application.",
    ),
    rule(
        "has_been_role",
        rf"(?:i've|i have){ADVERB} "
        rf"been\s(?:an?\s)(?P<role>(?:[\w&/+-]+\s){{0,3}}?{OCCUPATION})(?P<span>(?:\s(?:for|since|at|"
        rf"in)\s{PHRASE})?){END}",
        "Has been a {role} {span}.",
        slot="work.role",
        exclusive=True,
        refuse=r"(?:good|bad|better|great|huge|big|long|loyal)\b",
        example=("I've been a nurse for 15 years.", "Has been a nurse for 15 years."),
        counter="I've been a big driver of this.",
    ),
    rule(
        "works_for_myself",
        rf"i{ADVERB} (?P<what>freelance|work for myself|am my own boss)(?P<more>(?:\sas\s{PHRASE})?){END}",
        "Is self-employed {more}.",
        slot="work.employer",
        exclusive=True,
        example=("I freelance as an illustrator.", "Is self-employed as an illustrator."),
        counter="I freelance it out.",
    ),
    rule(
        "reports_to",
        rf"i{ADVERB} report (?:directly )?to\s(?:(?P<person>{NAME})|(?P<what>(?:the|our) (?:ceo|cto|coo|cfo|cio|owner|"
        rf"founder|board|head of [\w ]{{2,20}}?|\w+ (?:manager|director|lead)))){END}",
        "Reports to {person}{what}.",
        slot="work.boss",
        exclusive=True,
        relation="reports_to",
        refuse=r"(?:I|HR)\b",
        example=("I report to Karen.", "Reports to Karen."),
        counter="I report to work at nine.",
    ),
    rule(
        "leads",
        rf"i{ADVERB} (?P<verb>manage|lead|supervise|run|head|oversee|mentor)\s(?P<what>(?:an?|the|our|"
        rf"my)\s(?:[\w-]+\s){{0,3}}?(?:team|department|group|crew|lab|squad|unit|office|store|branch|staff|"
        rf"kitchen|restaurant|company|nonprofit)(?:\s(?:of|at|in|for|with)\s{PHRASE})?|(?:{WORD_FOR_TWO}|"
        rf"\d+|seven|eight|nine|ten|twelve)\s(?:\w+\s)?(?:people|engineers|developers|employees|nurses|"
        rf"interns|reports|direct reports)){END}",
        "{verb} {what}.",
        slot="work.leads",
        exclusive=True,
        example=("I manage a team of six.", "Manages a team of six."),
        counter="I manage fine.",
    ),
    rule(
        "team",
        rf"(?:my|our) (?P<of>(?:\w+ )?(?:team|company|startup|department|lab))\s(?P<how>is|has|consists of|"
        rf"is made up of)\s(?P<what>(?:about |around |just |only )?(?:\w+|\d[\d,]*)\s(?:\w+ )?(?:people|"
        rf"engineers|developers|employees|members|designers|of us)|(?:based |located |mostly |spread "
        rf")*(?:in|across|between)\s(?-i:[A-Z]){PHRASE}|fully remote|remote|hybrid|remote-first){END}",
        "{of} {how} {what}.",
        slot="work.{of}",
        exclusive=True,
        refuse=r"(?:the|no|too|many|these|those|some|good|great|nice|new|more|fewer)\b",
        example=("Our team is eight people and we ship every two weeks.", "Team is eight people."),
        counter="Our team is nice people.",
    ),
    rule(
        "team_of_us",
        r"(?:there are|there's|we're|we are) (?P<what>(?:about |only |just )?(?:\w+|\d+)) (?:of us|people|"
        r"engineers|developers|employees) (?:on|in|at) (?:the|our|my) (?P<of>team|company|office|department|"
        r"startup|family|band)",
        "{of} has {what} people.",
        slot="work.team_size",
        exclusive=True,
        refuse=r"(?:too|so|some|many|several|no|the)\b",
        example=("There are 12 of us on the team.", "Team has 12 people."),
        counter="There are too many people on the team.",
    ),
    rule(
        "we_ship",
        rf"we{ADVERB} (?P<verb>ship|release|deploy|plan|meet|do retros|have sprints|run sprints|work in "
        rf"sprints)(?P<more>(?:\s(?:new \w+|to production|code|updates))?)\s(?P<often>every (?:\w+ )?(?:day|"
        rf"weeks?|months?|\w+day|quarter|sprint)|twice a \w+|once a \w+|(?:bi)?weekly|daily|monthly|"
        rf"quarterly|on \w+days?)",
        "{verb} {more} {often}.",
        slot="work.cadence.{verb}",
        exclusive=True,
        example=("We ship every two weeks.", "Ships every two weeks."),
        counter="We ship to every country.",
    ),
    rule(
        "work_times",
        r"i(?: usually| normally| always| typically)? (?P<verb>work|start work|start|finish work|get off work|"
        r"clock in|get off)\s(?P<what>(?:from )?\d{1,2}(?::\d\d)?\s?(?:am|pm)?\s?(?:to|-|until|"
        r"till)\s?\d{1,2}(?::\d\d)?\s?(?:am|pm)?|(?:at|around)\s(?:about )?\d{1,2}(?::\d\d)?\s?(?:am|pm)?|"
        r"(?:the )?(?:night|graveyard|early|late|day|evening|weekend|swing) shifts?|evenings|mornings|"
        r"(?:mon|tues|wednes|thurs|fri)days?(?: to | through |-)\w+days?|nine to five)(?=\s*(?:[,.;!)]|$)|"
        r"\s(?:and|but|so|at|in|on|every|most|because)\b)",
        "{verb} {what}.",
        slot="work.times.{verb}",
        exclusive=True,
        example=("I start work at 7.", "Starts work at 7."),
        counter="I start at the top.",
    ),
    rule(
        "office_in",
        rf"(?:my|our) (?P<of>office|headquarters|hq|studio|shop|store|restaurant|school|campus|clinic|"
        rf"bakery|farm|cabin|business)\s(?:is|'s) (?:located |based )?(?P<where>(?:in|near|on|at|next "
        rf"to)\s(?:downtown )?(?-i:[A-Z]){PHRASE}|downtown)",
        "{of} is {where}.",
        slot="work.{of}",
        exclusive=True,
        example=("My office is in Midtown.", "Office is in Midtown."),
        counter="My office is in ruins.",
    ),
    rule(
        "teaches_and_trains",
        rf"i{ADVERB} (?P<verb>specialize|specialise|major|minor)(?:ed)? in\s(?P<what>{PHRASE})",
        "{verb} in {what}.",
        slot="work.speciality",
        refuse=POINTING,
        example=("I specialize in tax law.", "Specializes in tax law."),
        counter="I specialize in it.",
    ),
    rule(
        "owns_business",
        rf"(?:i|we){ADVERB} (?:(?P<verb>own|run|operate)|(?P<did>started|opened|founded|co-founded|"
        rf"launched))\s(?P<what>(?:an?|my own|our own|my|our)\s(?:[\w'-]+\s){{0,4}}?(?:business|company|"
        rf"startup|shop|store|bakery|cafe|caf\u00e9|restaurant|bar|studio|salon|farm|agency|practice|clinic|"
        rf"gym|nonprofit|charity|bookstore|brewery|winery|food truck|blog|podcast|newsletter|youtube "
        rf"channel|etsy shop|daycare|firm|book club|running club|channel|label)(?:\s(?:in|with|that|called|"
        rf"for|about|on|at|selling|named)\s{PHRASE})?){END}",
        "{verb}{did} {what}.",
        slot="work.business",
        refuse=r"(?:my|our)\s(?:\w+)$",
        example=("I opened a bakery in Leeds.", "Opened a bakery in Leeds."),
        counter="I started a company car.",
    ),
    rule(
        "has_business",
        rf"(?:i|we){ADVERB} have\s(?P<what>(?:an?|our own|my own)\s(?:[\w-]+\s)?(?:business|shop|store|bakery|cafe|"
        rf"caf\u00e9|"
        rf"restaurant|studio|salon|farm|agency|practice|clinic|gym|bookstore|brewery|winery|food truck|workshop) in "
        rf"(?P<place>(?!the\s){PLACE}))",
        "Has {what}.",
        slot="work.business",
        example=("We have a flower shop in Leeds.", "Has a flower shop in Leeds."),
        counter="We have a shop in mind.",
    ),
    rule(
        "learns_better",
        rf"i{ADVERB} (?P<verb>learn|study|remember things|understand things)\s(?P<what>(?:much |a lot )?(?:better|"
        rf"best|faster|"
        rf"more easily|easier)\s(?:with|by|from|through|visually|when)\b(?!\s(?:it|that|this|you)\b)(?:\s{PHRASE})?)",
        "{verb} {what}.",
        slot="work.best",
        example=(
            "I learn better with examples than with formulas.",
            "Learns better with examples than with formulas.",
        ),
        counter="I learn better with you.",
    ),
    rule(
        "works_best",
        rf"i{ADVERB} (?P<verb>work|study|focus|think|concentrate|learn) best\s(?P<when>(?:at night|in the "
        rf"(?:mornings?|evenings?|afternoons?)|early in the morning|late at night|by\s(?:doing|reading|"
        rf"watching|listening|example)\w*|visually|with music|in silence|under pressure)){END}",
        "{verb} best {when}.",
        slot="work.best",
        example=("I work best at night.", "Works best at night."),
        counter="I work best with you.",
    ),
    rule(
        "retiring",
        rf"{WE_ARE}{ADVERB} (?P<what>retiring|graduating|changing jobs|changing careers|switching careers|"
        rf"going on (?:maternity|paternity|parental) leave|going back to (?:work|school|college|"
        rf"uni))(?P<when>(?:\s(?:on\s|in\s|at\s)?(?:{DATE}|\d\d))?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|"
        rf"from)\b)",
        "Is {what} {when}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm retiring next year.", "Is retiring next year."),
        counter="I'm retiring the old server.",
    ),
)
