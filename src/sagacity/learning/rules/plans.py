"""What the user plans, pursues and has begun."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    BACKWARD,
    DATE,
    END,
    HAVE_BEEN,
    PERIOD,
    PHRASE,
    PLACE,
    TIME,
    WE_ARE,
)

PLANS: Final[tuple[Rule, ...]] = (
    rule(
        "going_to",
        rf"(?:{WE_ARE}{ADVERB} (?:going|heading|traveling|travelling|flying|driving|planning to (?:go|"
        rf"travel|fly|visit)|visiting)|i'll be (?:going|traveling|travelling|flying|"
        rf"visiting))\s(?:on a trip )?(?:to\s)?(?P<place>(?!the\s){PLACE})(?P<when>(?:\s"
        rf"(?:with\s[\w\s]{{1,30}}?\s)?{TIME})?)",
        "Plans to go to {place} {when}.",
        slot="plan.{place}",
        time_to_live=TimeToLive.ONE_QUARTER,
        relation="plans_to_visit",
        refuse=r".*\b(?:Airlines?|Airways)\b|(?:I|Also|Google|Settings|Bed|Plan|Step|Page)\b",
        example=("I'm going to Lisbon in May.", "Plans to go to Lisbon in May."),
        counter="Am I going to Lisbon?",
    ),
    rule(
        "will_be_in",
        rf"(?:i'll|i will|we'll|we will|{WE_ARE} going to) be "
        rf"in\s(?P<place>(?!the\s){PLACE})\s(?P<when>{PERIOD})",
        "Is in {place} {when}.",
        slot="plan.{place}",
        time_to_live=TimeToLive.ONE_QUARTER,
        relation="plans_to_visit",
        example=("I'll be in London next week.", "Is in London next week."),
        counter="I'll be in touch next week.",
    ),
    rule(
        "not_moving",
        rf"(?:(?:{WE_ARE}{ADVERB} (?:not|no longer)|(?:i|we){ADVERB} decided not to|(?:i|we)(?:'re| are|'m| "
        rf"am)n't){ADVERB} (?:moving|relocating|going to move|move) to|(?:i|we)(?:'ve| have)?{ADVERB} "
        rf"(?:cancell?ed|called off|dropped) (?:my|our|the) (?:move|plan to move|relocation) to|(?:my|our|"
        rf"the) (?:move|relocation) to(?=\s[\w\s]{{2,30}}\s(?:is|was|got|has been)\s(?:off|cancell?ed|"
        rf"called off|not happening)))\s(?P<place>(?!the\s){PLACE})",
        "Does not move to {place}.",
        slot="plan.move",
        negates=True,
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.9,
        refuse=r"(?:Plan|Step|Page|Section|Chapter|Option)\b",
        example=("We're not moving to Hamburg any more.", "Does not move to Hamburg."),
        counter="They are not moving to Hamburg.",
    ),
    rule(
        "moving_to",
        rf"(?:{WE_ARE}{ADVERB} (?:moving|relocating|planning to move|going to move)|(?:i'll|i will|we'll|we "
        rf"will) (?:be moving|move|relocate))(?: back| over)? "
        rf"to\s(?P<place>(?!the\s){PLACE})(?P<when>(?:\s(?:{TIME}|(?:on\s)?{DATE}))?)",
        "Plans to move to {place} {when}.",
        slot="plan.move",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        relation="plans_to_move_to",
        refuse=r"(?:Plan|Step|Page|Section|Chapter|Option)\b",
        example=("I'm moving to Canada next month.", "Plans to move to Canada next month."),
        counter="My brother is moving to Canada.",
    ),
    rule(
        "visiting",
        rf"{WE_ARE}{ADVERB} (?:planning (?:to|on)|going to) visit(?:ing)?\s(?P<place>(?:the\s)?{PLACE})",
        "Plans to visit {place}.",
        slot="plan.{place}",
        time_to_live=TimeToLive.ONE_QUARTER,
        relation="plans_to_visit",
        refuse=r"the \w+$",
        example=("I'm also planning to visit the Meiji Shrine.", "Plans to visit the Meiji Shrine."),
        counter="Should I visit the Meiji Shrine?",
    ),
    rule(
        "planning",
        rf"(?:{WE_ARE}{ADVERB} (?:planning|organi[sz]ing|hosting|throwing|taking|going on)|(?:i|we)(?:'ve|"
        rf" have){ADVERB} planned)\s(?P<what>(?:an?|my|our)\s{PHRASE})",
        "Is planning {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        refuse=r".*\b(?:the city|the area|the store)$|an?\s(?:new\s|road\s|\d-day\s)?(?:\w+\s)?(?:trip|"
        r"vacation|break|look|walk|bit|few|lot|class|course)$|an?\s(?:look|break|bit|few|lot|step|"
        r"shower|nap|chance|gift|supplement)\b",
        example=("I'm planning a trip to Japan.", "Is planning a trip to Japan."),
        counter="Should I plan a trip to Japan?",
    ),
    rule(
        "booked",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} booked\s(?P<what>(?:an?|my|our|two)\s{PHRASE})",
        "Has booked {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("I've booked a room in Kyoto.", "Has booked a room in Kyoto."),
        counter="I booked it.",
    ),
    rule(
        "planning_to",
        rf"{WE_ARE}{ADVERB} (?:planning|going|hoping|looking) to\s(?P<what>(?:transition|volunteer|play|"
        rf"run|buy|get married|retire|start|launch|renovate|graduate|adopt|participate|sell|open|attend|"
        rf"host|build|switch|migrate|quit|apply)\b\s?{PHRASE})",
        "Plans to {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        refuse=r"(?:start|build|apply|buy|sell) (?:by|with|some|the|basic|new)\b|.*\b(?:it|that|this|these|"
        r"those|them)$|start\b",
        example=(
            "I'm planning to run the Boston Marathon in April.",
            "Plans to run the Boston Marathon in April.",
        ),
        counter="I'm going to start with that.",
    ),
    rule(
        "training_for",
        rf"{WE_ARE}{ADVERB} (?P<how>training|saving up|studying) for\s(?P<what>{PHRASE})",
        "Is {how} for {what}.",
        slot="goal.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        refuse=BACKWARD,
        example=("I'm training for a half marathon.", "Is training for a half marathon."),
        counter="I'm looking for a marathon.",
    ),
    rule(
        "goal",
        rf"(?:{WE_ARE}|{HAVE_BEEN}){ADVERB} trying to\s(?P<what>(?:lose|save|quit|eat|reduce|cut|improve|"
        rf"drink|conceive|sleep|exercise|get pregnant|gain)\b\s?{PHRASE})",
        "Is trying to {what}.",
        slot="goal.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("I'm trying to lose ten pounds.", "Is trying to lose ten pounds."),
        counter="I'm trying to find a lamp.",
    ),
    rule(
        "searching_home_or_work",
        rf"{WE_ARE}{ADVERB} (?:looking (?:for|at|to buy|to rent)|searching for|"
        rf"house hunting for)\s(?P<what>(?:an?\s|new\s)?(?:new\s)?(?:\d-bedroom\s)?(?:house|condos?|"
        rf"apartments?|flat|job|car|puppy|roommate)\b(?:\s(?:in|with|near)\s{PHRASE})?){END}",
        "Is looking for {what}.",
        slot="plan.search.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        example=("I'm looking for a new job in Lyon.", "Is looking for a new job in Lyon."),
        counter="I'm looking for a recipe.",
    ),
    rule(
        "working_on",
        rf"(?:{WE_ARE}|{HAVE_BEEN}){ADVERB} (?:working on|building|writing|restoring|(?:renovating|"
        rf"remodell?ing|redecorating|refurbishing|redoing|repainting)(?=\s(?:an?|my|our|"
        rf"the)\s))\s(?P<what>(?:an?|my|our|the(?=\s(?:house|kitchen|bathroom|attic|basement|garden|bedroom|"
        rf"living room)))\s{PHRASE})",
        "Is working on {what}.",
        slot="project.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        refuse=r"(?:an?|my|our)\s(?:\w+\s)?(?:project|problem|task|lot|few|couple|paper|assignment|"
        r"question|function|script|code)$",
        example=("I've been working on an abstract sculpture.", "Is working on an abstract sculpture."),
        counter="I'm working on a project.",
    ),
    rule(
        "switched_to",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?P<did>switched|changed|converted)(?: "
        rf"over)?(?P<how>\sfrom\s[\w\s-]{{2,40}}?)? to\s(?P<what>(?!using\b|an?\s(?:new|different|better)\b|"
        rf"new\b|plan\b|another\b|\w+ing\b){PHRASE})",
        "{did} {how} to {what}.",
        slot="switched.{what}",
        confidence=0.75,
        refuse=BACKWARD + r"|(?:the|a) (?:second|first|other|new|different)\b|page\b|tab\b",
        example=("I switched to green tea.", "Switched to green tea."),
        counter="I switched to it.",
    ),
    rule(
        "deadline",
        rf"(?:i|we){ADVERB} have\s(?P<what>an?\s(?:[\w-]+\s){{1,3}}deadline\b(?:\s(?:on|in)\s{PHRASE})?)",
        "Has {what}.",
        slot="plan.deadline",
        refuse=r"an?\s(?:\w+\s)?(?:question|problem|issue)\b",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("We have a hard Q2 deadline for this migration.", "Has a hard Q2 deadline."),
        counter="Do we have a deadline?",
    ),
    rule(
        "migrating",
        rf"{WE_ARE}{ADVERB} (?P<what>(?:migrating|switching|"
        rf"moving) (?:our\s(?:\w+\s){{1,4}})?from\s{PHRASE})",
        "Is {what}.",
        slot="plan.migration",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=(
            "We're migrating from REST to GraphQL and I need help.",
            "Is migrating from REST to GraphQL.",
        ),
        counter="Are we migrating from REST?",
    ),
    rule(
        "gave_up",
        rf"i(?:'ve| have)?{ADVERB} (?P<did>quit|gave up|given up)\s(?P<what>smoking|drinking|gambling|"
        rf"vaping|coffee|caffeine|alcohol|sugar|meat|dairy|gluten|social media)\b",
        "{did} {what}.",
        slot="habit.{what}",
        exclusive=True,
        example=("I quit smoking last year.", "Quit smoking."),
        counter="How do I quit smoking?",
    ),
    rule(
        "getting_married",
        rf"{WE_ARE}{ADVERB} (?P<what>getting married|having a baby|expecting a baby|expecting (?:twins|"
        rf"(?:a|our \w+) (?:child|baby|boy|girl|kid|son|daughter)))(?P<when>(?:\s{TIME})?)",
        "Is {what} {when}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm getting married in June.", "Is getting married in June."),
        counter="My cousin is getting married.",
    ),
    rule(
        "started",
        rf"i(?:'ve| have)?{ADVERB} (?P<how>started|quit|gave up|stopped|took up|joined|"
        rf"enrolled in)\s(?P<what>(?:an?|my|\w+ing)\s{PHRASE})",
        "{how} {what}.",
        slot="life.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.75,
        refuse=r"(?:noticing|feeling|thinking|wondering|getting|having|looking|a (?:few|couple)|seeing|"
        r"reading|watching|with|by|something|anything|nothing|a conversation|bring)\b",
        example=("I recently started a yoga class on Wednesdays.", "Started a yoga class on Wednesdays."),
        counter="I started feeling tired.",
    ),
    rule(
        "dated_plan",
        rf"{WE_ARE}{ADVERB} (?P<what>(?:giving|having|hosting|throwing|attending|running|doing|taking|"
        rf"playing|getting|starting|performing|presenting|speaking|seeing|adopting|launching|opening|"
        rf"closing on|graduating|leaving|celebrating|defending|competing|sitting)\b(?:\s(?!it\b|this\b|"
        rf"that\b|them\b|to\b)[\w'&/-]+){{0,6}}?)\s(?P<when>(?:on\s)?(?!today|tonight){DATE})(?=[\s,.;!)]|$)",
        "Is {what} {when}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        refuse=(
            r".*\b(?:it|this|that|them|errors?|issues?|problems?|trouble|troubles|some|advice|tired|ready|"
            r"sick|better|worse|late|today)\b|\w+$|leaving the$|(?:\w+ )?(?:lunch|dinner|breakfast|coffee|"
            r"scratch|drinks)\b|\w+ from|today\b|tonight\b"
        ),
        example=("I'm giving a talk at PyCon next month.", "Is giving a talk at PyCon next month."),
        counter="I'm having trouble today.",
    ),
    rule(
        "dream",
        rf"my (?P<of>(?:\w+ )?(?:goal|dream|ambition|resolution|new year's resolution|plan|dream job|"
        rf"long-term plan)) (?:this year |for (?:this year|20\d\d|next year) )?is\s(?P<what>(?:to (?!get "
        rf"this|make this|understand|find out|have this|use|write (?:a|the)|do)|becoming\s){PHRASE})",
        "{of} is {what}.",
        slot="goal.{of}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=r"to (?:see|know|ask|help|create a|build a) |.*\b(?:this(?! year)|that|it|these|them)\b",
        example=("My goal is to run a marathon this year.", "Goal is to run a marathon this year."),
        counter="My goal is to get this working.",
    ),
    rule(
        "wants_to",
        rf"(?:(?:i|we){ADVERB} (?:want|hope|plan|intend|aim|would like)|(?:i|we)'d (?:like|love)|"
        rf"{WE_ARE}{ADVERB} hoping) to\s(?:(?:someday|one day|eventually)\s)?(?P<what>(?:become an?|retire|"
        rf"move to (?-i:[A-Z])|adopt an?|go back to (?:school|college|uni|university|work)|start a family|"
        rf"have (?:kids|children|a baby)|open (?:a|my own)|quit my job|change careers|switch careers|run "
        rf"(?:a|the) (?:\w+ )?(?:half |ultra)?marathon)(?:\s?{PHRASE})?){END}",
        "Wants to {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.75,
        refuse=r"become an? (?:better|more)|.*\b(?:this|that|it|these|them)\b|open a (?:file|ticket|new)",
        example=("I want to become a nurse.", "Wants to become a nurse."),
        counter="I want to become a better cook.",
    ),
    rule(
        "considers",
        rf"{WE_ARE}{ADVERB} (?:thinking of|thinking about|considering|planning on|looking "
        rf"into)\s(?P<what>(?:becoming an?|retiring|moving to (?-i:[A-Z])|adopting an?|going back to "
        rf"(?:school|college|uni|university|work)|starting a family|having (?:kids|children|a baby|another "
        rf"baby)|opening (?:a|my own)|quitting my job|buying (?:an?|our first) (?:house|home|condo|"
        rf"apartment|flat|car)|getting (?:a (?:dog|cat|puppy|kitten)|married|divorced)|changing careers|"
        rf"switching careers)(?:\s?{PHRASE})?){END}",
        "Is considering {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        refuse=r".*\b(?:this|that|it|these|them)\b",
        example=("I'm thinking of moving to Spain next year.", "Is considering moving to Spain next year."),
        counter="I'm thinking of moving to the next step.",
    ),
    rule(
        "visiting_kin",
        rf"{WE_ARE}{ADVERB} (?P<what>(?:visiting|seeing|meeting|hosting)\s(?:my|"
        rf"our)\s(?:[\w-]+\s){{1,3}}?(?:in\s{PLACE}\s?)?)\s?(?P<when>(?:on\s|over\s|for\s)?(?:{DATE}|"
        rf"christmas|thanksgiving|the holidays|easter))",
        "Is {what} {when}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        example=(
            "I'm visiting my parents in Ohio next week.",
            "Is visiting their parents in Ohio next week.",
        ),
        counter="I'm visiting my page.",
    ),
    rule(
        "going_doing",
        rf"{WE_ARE}{ADVERB} (?:going|planning to go) (?P<what>(?:camping|hiking|skiing|fishing|sailing|"
        rf"snowboarding|surfing|backpacking|diving|scuba diving|kayaking|climbing|on (?:a|our|my) (?:\w+ "
        rf")?(?:cruise|honeymoon|safari|retreat|vacation|road trip|trip))(?:\s(?:in|to|at|with|"
        rf"on)\s(?!{DATE}){PHRASE})?)\s(?P<when>(?:on\s|over\s|for\s)?{DATE})(?=[\s,.;!)]|$)",
        "Is going {what} {when}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("We're going camping this weekend.", "Is going camping this weekend."),
        counter="We're going in this direction.",
    ),
    rule(
        "in_place_until",
        rf"{WE_ARE}{ADVERB} (?:staying |here )?in\s(?P<place>(?!the\s){PLACE})\s(?P<when>(?:until|till|from|"
        rf"this|next|for)\s(?:{DATE}|the (?:week|weekend|month|summer|holidays|semester|next (?:\w+ )?"
        rf"(?:days|weeks?|months?))|week\b|weekend\b|month\b|\w+ (?:days|weeks|months)|work|business|"
        rf"a (?:conference|wedding|few \w+)))(?=[\s,.;!)]|$)",
        "Is in {place} {when}.",
        slot="plan.{place}",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("I'm in Paris until Friday.", "Is in Paris until Friday."),
        counter="I'm in Excel until it crashes.",
    ),
    rule(
        "somewhere_for_now",
        rf"{WE_ARE}{ADVERB} (?P<what>(?:working|studying) (?:from home|remotely|from\s(?!the\s){PLACE})|"
        rf"(?:staying |living |crashing |back )?(?:with (?:my|our) (?:\w+ )?(?:parents|mom|mum|dad|sister|brother|"
        rf"friends?|in-laws|grandparents|family)|at (?:my|our) (?:\w+ )?(?:parents'?|mom's|mum's|dad's|sister's|"
        rf"brother's|friend's|in-laws'?)(?: (?:place|house|home))?)|working (?:nights|weekends|part[- ]time|"
        rf"double shifts))\s(?P<when>(?:(?:until|till)\s(?:{DATE})|this (?:week|month|summer|winter|weekend|semester)|"
        rf"for the next (?:\w+ )?(?:days|weeks?|months?)|for (?:\w+|a few|a couple of) (?:days|weeks|months)))"
        rf"(?=\s*[,.;!)]|\s*$|\s(?:and|but|so|because)\b)",
        "Is {what} {when}.",
        slot="plan.whereabouts",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=(
            "I'm working from home until the end of the month.",
            "Is working from home until the end of the month.",
        ),
        counter="I'm working from home until it works.",
    ),
    rule(
        "wants_to_buy",
        rf"we(?:'d| would)?{ADVERB} (?P<how>want|hope|plan|would like|like|are hoping|are planning) to "
        rf"(?P<what>(?:buy|build|move|adopt|retire|emigrate|get married|start a family|have (?:kids|"
        rf"another baby|a baby))(?:\s(?!it\b|this\b|that\b){PHRASE})?){END}",
        "Wants to {what}.",
        slot="plan.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.75,
        refuse=(
            r"build (?:a|the|an)\s(?:\w+\s)?(?:app|api|service|website|system|model|feature)|move (?:the|on|"
            r"forward|to the|fast|away)\b|buy (?:the|some|more)\b"
        ),
        example=("We want to buy a house next year.", "Wants to buy a house next year."),
        counter="We want to build an app.",
    ),
)
