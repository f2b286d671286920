"""What the user does often, and with whom."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    BACKWARD,
    END,
    HAVE_BEEN,
    LASTING,
    PHRASE,
)

_HABITS = (
    r"run|go|take|play|make|practice|attend|swim|walk|grill|cook|meditate|exercise|teach|drive|read|watch|"
    r"wake up|get up|ride|volunteer|visit|bake|bike|hike|jog|work out|train|do|eat|drink|listen|commute|"
    r"write|paint|study|climb|garden|meal prep|sleep|clean|stretch|lift|pray|journal|leave|leave the house|"
    r"leave work|skate|box|row|fish|hunt|sail|knit|sew|crochet|game|stream|draw|sing|dance|surf|ski|golf|"
    r"shop|go to bed|get off work|babysit|foster|walk"
)
_OFTEN = (
    r"(?:every\s(?:single\s)?(?:day|night|morning|evening|weekend|week|month|year|other\s\w+|\w+day)|daily|"
    r"weekly|twice a \w+|once a \w+|(?:\w+|\d+) (?:times|days|nights|hours) (?:a|per) (?:day|week|month|"
    r"year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?(?:(?:,| and|, and) (?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)days?)*(?: at \d{1,2}(?::\d\d)?(?:\s?[ap]m\b)?)?|on weekends|on weekdays|(?:most|some) "
    r"(?:days|nights|mornings|evenings|weekends)|in the (?:mornings?|evenings?|afternoons?)(?=\s*(?:[.,!]|"
    r"$))|(?:before|after) (?:work|school|breakfast|dinner|lunch|bed)|(?:at|around) (?:about |around "
    r")?\d{1,2}(?::\d\d)?(?:\s?[ap]\.?m\b)?(?=\s*(?:[.,!;]|$)|\s(?:and|but|so|on|every|because)\b)|in my "
    r"(?:free|spare) time|(?:really |very |pretty )?(?:early|late)(?=\s*(?:[.,!;]|$)|"
    r"\s(?:and|but|so|on|every|because)\b))"
)

HABITS: Final[tuple[Rule, ...]] = (
    rule(
        "gave_birth",
        rf"i(?:'ve| have)?{ADVERB} (?:gave|given) birth(?P<more>(?:\sto\s{PHRASE})?)",
        "Gave birth {more}.",
        slot="life.birth",
        confidence=0.9,
        example=("I gave birth to Leo last week.", "Gave birth to Leo last week."),
        counter="My sister gave birth to Leo.",
    ),
    rule(
        "usually",
        rf"(?:i|we)(?: also)? (?P<often>usually|typically|normally|regularly|"
        rf"often)(?: just)?\s(?P<verb>[a-z]+(?:\s(?:up|out|prep))?)\b(?P<what>(?:\s{PHRASE})?)",
        "{often} {verb} {what}.",
        slot="habit.{what}",
        confidence=0.75,
        refuse=r"(?:wanted|thought|been|had|felt|wondered|heard|found|knew|forget|get confused|said|loved|"
        r"wonder|worry|find|mean|think|like|have|feel|struggle|end|assumed|enjoyed|\w+ed)\b$|"
        r".*\b(?:it|that|this|them)\b",
        example=(
            "By the way, I usually take Zumba classes on Tuesdays at 7:00 PM.",
            "Usually takes Zumba classes on Tuesdays at 7:00 PM.",
        ),
        counter="I usually like that.",
    ),
    rule(
        "daily_times",
        rf"(?:i|we){ADVERB} (?P<verb>get home|get back|leave home|leave work|leave the house|have dinner|have lunch|"
        rf"have breakfast|"
        rf"eat dinner|eat lunch|eat|wake up|get up|go to bed|knock off)\s(?P<what>(?:from work\s)?(?:at|around|by|"
        rf"before|after|"
        rf"about)\s(?:about |around )?\d{{1,2}}(?:[:.]\d\d)?(?:\s?[ap]\.?m\b)?(?:\s(?:on|most)\s(?:weekdays|weekends|"
        rf"\w+days|days))?)(?=\s*(?:[,.;!)](?!\d)|$)|\s(?:and|but|so|because)\b)",
        "{verb} {what}.",
        slot="habit.{verb}.at",
        exclusive=True,
        confidence=0.75,
        example=("I get home at 6.30 and cook.", "Gets home at 6.30."),
        counter="I get home at once.",
    ),
    rule(
        "keeps_doing",
        rf"{HAVE_BEEN}{ADVERB} (?P<what>(?!thinking|wondering|meaning|trying|getting|"
        rf"feeling)\w+ing\b[^,;:!?()\"\n]{{0,50}}?\s{_OFTEN}){END}",
        "Has been {what}.",
        slot="habit.{what}",
        confidence=0.75,
        refuse=r"(?:enjoying|loving)\b|.*\bthem\b|\w+\s(?:a\s)?weekly",
        example=("I've been doing yoga twice a week.", "Has been doing yoga twice a week."),
        counter="I've been thinking about it every day.",
    ),
    rule(
        "pursues",
        rf"(?:i|we){ADVERB} (?P<verb>collect|teach|coach|volunteer (?:at|for|with)|sing|major in|play the|"
        rf"run an?|raise|foster)\s(?P<what>{PHRASE})",
        "{verb} {what}.",
        slot="pursues.{what}",
        confidence=0.8,
        refuse=(
            rf"{BACKWARD}|(?:few|couple|lot|risk|check|test|search|fool|victim|devil|game|lottery|blame|"
            rf"search|report|quick|question|role|part)\b"
        ),
        example=("I collect vintage cameras.", "Collects vintage cameras."),
        counter="I collect them.",
    ),
    rule(
        "drives",
        rf"i(?: currently| now| still)? (?P<verb>drive|ride)\s(?P<what>an?\s(?!lot\b|bit\b|few\b|long\b|"
        rf"hard\b|deal\b|wave\b){PHRASE})",
        "{verb} {what}.",
        slot="owns.vehicle",
        refuse=r".*\b(?:every|times|miles|hours|if)\b",
        example=("I drive a Tesla Model 3.", "Drives a Tesla Model 3."),
        counter="I drive a lot.",
    ),
    rule(
        "in_a_group",
        rf"i{ADVERB} (?P<verb>play|sing|dance)\s(?P<what>in\s(?:an?|my|our)\s(?:[\w-]+\s){{0,3}}?(?:band|"
        rf"choir|orchestra|team|league|club|ensemble|quartet|group)){END}",
        "{verb} {what}.",
        slot="pursues.{what}",
        example=("I play in a band.", "Plays in a band."),
        counter="I play in a hurry.",
    ),
    rule(
        "plays",
        rf"i{ADVERB} (?P<verb>play|do|practice|practise)(?: a lot of| "
        rf"some)?\s(?P<what>(?:the\s)?(?:(?!with\b|for\b)[\w-]+\s){{0,2}}?(?:football|soccer|tennis|"
        rf"basketball|volleyball|badminton|table tennis|golf|hockey|rugby|cricket|chess|squash|handball|"
        rf"guitar|piano|violin|drums|bass|cello|flute|saxophone|ukulele|trumpet|yoga|pilates|judo|karate|"
        rf"boxing|crossfit|climbing|bouldering|dungeons and dragons|d&d|poker|video games)\b(?:\s(?:every|"
        rf"on|in|with|for|twice|once|as)\s[\w\s]{{2,40}}?)?){END}",
        "{verb} {what}.",
        slot="pursues.{what}",
        refuse=r".*\b(?:him|her|them|it|your|this|that)\b",
        example=("I play tennis on Sundays.", "Plays tennis on Sundays."),
        counter="I play the fool.",
    ),
    rule(
        "consumes",
        rf"i{ADVERB} (?:usually |always |only |mostly )?(?P<verb>drink|eat)\s(?P<what>(?:only\s|"
        rf"mostly\s|(?:way |far )?too much\s)?(?:black |green |herbal |decaf |oat milk |lots of |a lot of )"
        rf"?(?:coffee|tea|decaf|oat "
        rf"milk|soy milk|almond milk|meat|fish|halal|kosher|low[- ]carb)\b(?:\s(?:in the \w+|with \w+|every "
        rf"\w+|without \w+))?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because)\b)",
        "{verb} {what}.",
        slot="diet.{verb}.{what}",
        confidence=0.8,
        example=("I only drink decaf.", "Drinks decaf."),
        counter="I drink it.",
    ),
    rule(
        "member_of",
        rf"{AM}{ADVERB} (?:an? )?(?:active )?member of\s(?P<what>{PHRASE})",
        "Is a member of {what}.",
        slot="member.{what}",
        refuse=BACKWARD,
        example=("I'm a member of a local chess club.", "Is a member of a local chess club."),
        counter="Is he a member of a club?",
    ),
    rule(
        "commute",
        rf"my (?:daily |morning )?commute(?: to work)? (?P<how>is|takes)\s(?P<what>(?:about |"
        rf"around )?[\w-]+(?: \w+)? (?:minutes?|hours?|miles|km|kilomet(?:er|re)s){PHRASE}?)",
        "Commute {how} {what}.",
        slot="work.commute",
        exclusive=True,
        example=("My commute takes 45 minutes each way.", "Commute takes 45 minutes each way."),
        counter="My commute is boring.",
    ),
    rule(
        "routine",
        rf"(?:i|we){ADVERB} (?P<verb>{_HABITS})\b(?P<what>[^,;:!?()\"\n]{{0,60}}?\s(?:almost\s)?{_OFTEN})",
        "{verb} {what}.",
        slot="habit.{what}",
        confidence=0.8,
        refuse=r".*\b(?:them|him|tests?|servers?|scripts?|jobs|copies|queries|builds?|code|backups?)\b",
        example=("Yeah, I grill almost every night.", "Grills almost every night."),
        counter="I should run every day.",
    ),
    rule(
        "hobby",
        rf"i{ADVERB} (?P<verb>knit|crochet|sew|paint|draw|sculpt|garden|surf|ski|snowboard|skateboard|kayak|"
        rf"sail|meditate|journal|bake|hike|camp|fence|scuba dive|homebrew|woodwork|freedive|birdwatch|"
        rf"geocache|quilt|embroider|fish|hunt|climb|cycle|jog|dance|sing|blog|vlog|write (?:poetry|poems|"
        rf"short stories|fiction|novels|songs|music|a blog|fanfiction)|make (?:pottery|jewelry|candles|"
        rf"music|my own \w+)|do (?:pottery|woodworking|calligraphy|origami|photography|ceramics|improv|"
        rf"stand-?up|martial arts|jiu[- ]jitsu|ballet|gymnastics|crossfit|parkour|puzzles)|brew (?:my own "
        rf")?(?:beer|kombucha)|keep bees|foster (?:dogs|cats|kittens))(?P<what>(?:\s(?:on|in|as|for fun|"
        rf"with my|at|a lot|every)\b(?:\s[\w' ]{{2,30}}?)?)?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because)\b)",
        "{verb} {what}.",
        slot="pursues.{verb}",
        confidence=0.8,
        refuse=r".*\b(?:it|this|that|them|you|the)\b|in (?:a|conclusion)\b|for (?:a|an)\b",
        example=("I crochet.", "Crochets."),
        counter="I draw the line.",
    ),
    rule(
        "amount_a_week",
        rf"(?:i|we){ADVERB} (?P<verb>run|walk|cycle|bike|swim|drive|read|drink|smoke|work|sleep|spend|eat|"
        rf"study|practice|train|lift|save|watch|hike)\s(?P<what>(?:about |around |over |at least |almost |"
        rf"roughly |only |up to )?[$\u20ac\u00a3]?(?:\d[\d.,-]*|one|two|three|four|five|six|seven|eight|"
        rf"nine|ten|twelve) ?(?:to \d+ ?)?(?:k|km|kms|miles?|steps|laps|cups?|glasses|bottles|liters|litres|"
        rf"beers|hours?|minutes?|books?|pages|coffees|cigarettes|packs?|kilometers|days|times|meals|eggs|"
        rf"dollars|euros|sodas)?(?: of [\w' -]{{2,30}}?)?(?: on [\w' -]{{2,25}}?)? (?:a|per|every|each) "
        rf"(?:day|week|night|month|year|weekend|morning))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|on|in|with|for|"
        rf"because|at)\b)",
        "{verb} {what}.",
        slot="habit.{verb}.amount",
        exclusive=True,
        example=("I run about 40k a week.", "Runs about 40k a week."),
        counter="I run about a lot.",
    ),
    rule(
        "commutes_by",
        rf"(?:i|we){ADVERB}(?: usually| always| mostly)? (?P<verb>bike|cycle|walk|drive|carpool|skate|take "
        rf"the (?:bus|train|subway|metro|tram|tube|ferry)|commute by \w+) "
        rf"to (?P<where>work|school|the office|campus|uni|university|college|class)(?=\s*(?:[,.;!)]|$)|"
        rf"\s(?:and|but|so|every|most|because|on|when|in)\b)",
        "{verb} to {where}.",
        slot="work.commute_by",
        exclusive=True,
        example=("I take the train to work.", "Takes the train to work."),
        counter="I drive to the shop.",
    ),
    rule(
        "in_group",
        rf"{AM}{ADVERB} (?P<how>in|on|part of)\s(?P<what>(?:an?|the|my|our)\s(?:[\w'-]+\s){{0,3}}?(?:club|"
        rf"band|choir|team|league|committee|council|board|orchestra|support group|"
        rf"study group|running group|book group|fraternity|sorority|union|society|troupe|crew|"
        rf"squad)(?:\s(?:at|in|for|of|with)\s{PHRASE})?){END}",
        "Is {how} {what}.",
        slot="member.{what}",
        refuse=r"(?:the|my) (?:same|right|wrong|other)\b|the (?:board|team)$",
        example=("I'm in a book club.", "Is in a book club."),
        counter="I'm in a hurry.",
    ),
    rule(
        "place_has",
        rf"(?:my|our) (?P<of>house|apartment|flat|condo|home|car|truck|garden|yard|backyard|kitchen|"
        rf"building|city|town|neighbou?rhood|school|office)\s(?P<how>has|doesn't have)\s"
        rf"(?P<what>(?:no |an? |two |three |solar |central |only )?(?!flat\b|problem|issue|lot\b|few\b|"
        rf"weird\b|strange\b|been\b|become\b|gotten\b|leak){PHRASE})",
        "{of} {how} {what}.",
        slot="home.{of}.{what}",
        confidence=0.75,
        refuse=(
            rf"{BACKWARD}|.*\b(?:problems?|issues?|leaks?|tire|damage|error|it|this|that|been|smell|noise)\b"
        ),
        example=("Our house has solar panels.", "House has solar panels."),
        counter="Our house has a problem.",
    ),
    rule(
        "wears_size",
        r"(?:i (?:usually |normally |mostly )?(?:wear|am|take)\s|i'm (?:usually |normally )?|i need |(?<=, )"
        r"(?=size [\w.]+ "
        r"(?:usually|normally)\b))(?:an? )?(?P<what>size (?:\d[\d./]*|x{0,3}[sml]|small|medium|"
        r"large)(?:\s(?:shoes?|dress|jeans|pants|shirts?))?)(?=[\s,.;!)]|$)(?!\s(?:of|for|limit)\b)",
        "Wears {what}.",
        slot="identity.size",
        example=("I wear size 12.", "Wears size 12."),
        counter="I wear size labels.",
    ),
    rule(
        "my_thing_that",
        r"\bmy\s(?P<what>(?!own\b|first\b|last\b)(?:[\w'-]+\s){0,3}?[\w'-]+),? (?:that|which) "
        r"i(?:'ve)?(?: just| recently| finally)? (?:got|bought|purchased|inherited|built|"
        r"received|own|adopted)\b",
        "Has {what}.",
        slot="owns.{what}",
        confidence=0.75,
        presupposed=True,
        refuse=(
            r".*\b(?:code|error|problem|results?|feedback|email|letter|offer|idea|test|grade|answer|"
            r"question|order|message|feeling|life|day|work|job|points?|now)\b"
        ),
        example=("I'm mastering my 50mm lens that I got a month ago.", "Has 50mm lens."),
        counter="I fixed my code that I got from you.",
    ),
    rule(
        "always_does",
        rf"(?:i|we){ADVERB} (?P<often>always|never|rarely|seldom|hardly ever|sometimes|mostly|occasionally) "
        rf"(?P<verb>fly|drink|eat|sleep|wear|read|cook|travel|drive|walk|take|buy|watch|play|"
        rf"work|shop|order|listen|carry|skip|stay|sit|pay|run|get up|wake up|go|"
        rf"have)\b(?P<what>(?:\s(?!it\b|this\b|that\b|them\b|you\b|the same\b|back\b|to\b|wrong\b|into\b|"
        rf"through\b){PHRASE}))",
        "{often} {verb} {what}.",
        slot="habit.{verb}.{what}",
        confidence=0.75,
        refuse=(
            r".*\b(?:it|this|that|them|you|one|these|those|errors?|issues?|problems?|trouble|nulls?|"
            r"function|method|command|stuck|lost|worked)\b|(?:the|a lot|an? (?:problem|issue|hard))\b"
        ),
        example=("I always fly economy.", "Always flies economy."),
        counter="I always get this error.",
    ),
    rule(
        "on_day_does",
        rf"(?:on )?(?P<when>(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|(?:most |every "
        rf")(?:mornings?|evenings?|nights?|summer|winter|spring|fall|year|weekend|\w+day)|in (?:the )?"
        rf"(?:winter|summer|spring|autumn|fall|mornings?|evenings?)),? (?:i|we){ADVERB}(?: usually| always| "
        rf"like to)? (?P<verb>play|work|go|ski|swim|run|cook|meet|visit|travel|hike|volunteer|"
        rf"teach|bake|camp|read|watch|wake up|get up|train|practice|do|have|take|attend|drive|paint|garden|"
        rf"study|fish|surf|sleep|eat|drink|walk|stay|meditate|write)\b(?P<what>(?:\s(?!to\b){PHRASE})?){END}",
        "{when}: {verb} {what}.",
        slot="habit.{verb}.{what}",
        confidence=0.8,
        refuse=r".*\b(?:it|this|that|them|you)\b|a (?:meeting|question|problem|lot)\b",
        example=("On Fridays I play poker with friends.", "Fridays: plays poker with friends."),
        counter="On Fridays I do it.",
    ),
    rule(
        "day_off",
        rf"(?P<when>(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends) (?P<how>is|are) my "
        rf"(?P<what>(?:\w+ )?(?:days? off|rest days?|busiest days?|date night|gym days?|leg day|laundry day|"
        rf"cheat day|free days?|work days?|office days?|favorite days?)){END}",
        "{when} {how} their {what}.",
        slot="habit.{what}",
        exclusive=True,
        example=("Thursdays are my day off.", "Thursdays are their day off."),
        counter="Thursdays are my problem.",
    ),
    rule(
        "consumes_media",
        rf"(?:i|we){ADVERB} (?P<verb>listen to|watch|read|follow|play|drink|eat|love watching|"
        rf"speak)\s(?P<less>a lot of|lots of|too much|a ton of|mostly|mainly|so much|tons of|"
        rf"only)\s(?P<what>(?!it\b|this\b|them\b|these\b|those\b|things\b|stuff\b|code\b|the\b|"
        rf"your\b){PHRASE})",
        "{verb} {less} {what}.",
        slot="taste.media.{what}",
        confidence=0.8,
        refuse=rf"{BACKWARD}|.*\b(?:errors?|time|trouble)\b",
        example=("I watch a lot of anime.", "Watches a lot of anime."),
        counter="I watch a lot of it.",
    ),
    rule(
        "listens_to",
        rf"(?:i|we){ADVERB}(?: usually| mostly| mainly)? listen to\s(?P<what>(?:podcasts|audiobooks|music|vinyl|"
        rf"metal|jazz|classical music|hip hop|rock|pop|k-pop|country|the radio|npr|bbc)(?:\s(?:on|in|while|"
        rf"when|every|at|during)\s{PHRASE})?){END}",
        "Listens to {what}.",
        slot="taste.media.{what}",
        confidence=0.8,
        example=("I listen to podcasts on my commute.", "Listens to podcasts on their commute."),
        counter="I listen to you.",
    ),
    rule(
        "no_media",
        rf"i{ADVERB} (?P<how>don't|do not|never|hardly ever) (?P<what>(?:watch|read|follow|play|use|listen "
        rf"to|wear|go to|do|skip|cook|celebrate|own|work|travel|have|like)\s(?:(?:any |much |on )?(?:tv|"
        rf"television|the news|news|sports?|football|soccer|video games|games|social media|facebook|"
        rf"instagram|tiktok|twitter|whatsapp|podcasts|makeup|perfume|heels|dresses|glasses|church|the gym|"
        rf"drugs|breakfast|meat|christmas|weekends|fridays|mondays|a car|books|fiction|microwaves?|credit "
        rf"cards|alarms|caffeine|gluten|birthdays))){END}",
        "Does not {what}.",
        slot="habit.not.{what}",
        exclusive=True,
        example=("I don't watch TV.", "Does not watch TV."),
        counter="I don't watch that.",
    ),
    rule(
        "skips",
        rf"i{ADVERB}(?: usually| always| often)? (?P<verb>skip|avoid|follow|support|belong to|subscribe to|"
        rf"root for|cheer for|(?:take|drink)(?=\smy (?:coffee|tea)\s(?:black|with)))\s(?P<what>(?:breakfast|lunch|"
        rf"dinner|dairy|gluten|sugar|caffeine|carbs|nuts|meat|red meat|alcohol|spicy food|fried food|soy|"
        rf"crowds|highways|flying|an?\s(?:[\w-]+\s){{0,3}}?(?:club|church|gym|group|union|choir|team|league|"
        rf"diet|newsletter|magazine|plan)|(?-i:[A-Z])[\w]+(?:\s(?-i:[A-Z0-9])\w*){{0,2}}|my (?:coffee|tea) (?:black|"
        rf"with\s{PHRASE}|without\s{PHRASE}))){END}",
        "{verb} {what}.",
        slot="habit.{verb}.{what}",
        confidence=0.75,
        refuse=r"(?:with|without) (?:it|that|this|you)\b|(?:I|OK|Step|Page)\b",
        example=("I skip breakfast.", "Skips breakfast."),
        counter="I skip the first step.",
    ),
    rule(
        "goes_to_place",
        rf"i{ADVERB}(?: usually| regularly| always| often)? go to\s(?P<what>(?:an?|the|"
        rf"my)\s(?:[\w-]+\s){{0,3}}?(?:gym|church|mosque|synagogue|temple|school|university|college|"
        rf"therapist|chiropractor|dentist|barber|farmers'? market|library|pool|dance studio|yoga studio|"
        rf"support group|psychiatrist|salon)(?:\s(?:near|in|on|by|next to|close to|called|at|downtown|for|"
        rf"every|with)\b(?:\s{PHRASE})?))",
        "Goes to {what}.",
        slot="habit.goes_to.{what}",
        confidence=0.75,
        refuse=r"the .*\b(?:it|this|that)$",
        example=("I go to a gym near work.", "Goes to a gym near work."),
        counter="I go to the page.",
    ),
    rule(
        "has_device",
        rf"(?:i|we){ADVERB}(?:'ve got| have| got) (?P<what>(?:an?|two|my own)\s(?:new |old |used |big |"
        rf"small |second )?(?:(?:ps[345]|xbox(?: \w+)?|switch|steam deck|gaming pc|mortgage|loan|pension|"
        rf"401k|allotment|balcony|backyard|workshop|home (?:gym|office|studio|theater)|hot tub|fireplace|"
        rf"wood stove|vegetable garden|greenhouse|chicken coop|food truck|heat pump|solar panels?|season "
        rf"tickets?|library card|gym membership|costco membership|netflix (?:account|subscription)|cleaning "
        rf"lady|cleaner|housekeeper|gardener|personal trainer|therapist|service dog|guide dog|emotional "
        rf"support \w+|au pair|scholarship|side hustle|side business|etsy shop|tattoo|pacemaker|prosthetic "
        rf"\w+|cpap)s?|(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z0-9])[\w-]*){{0,3}}\s(?:account|subscription|"
        rf"membership|phone|watch|card|machine|camera|guitar|bike|car|tv)))(?:\s(?:in|on|at|for|"
        rf"with)\s{PHRASE})?(?=[\s,.;!)]|$)(?!\s(?:question|problem|issue|calculator|payment|rate|number|"
        rf"error|page|settings))|(?:i|we){ADVERB} (?:have|hold|got) (?P<more>season tickets(?:\s(?:for|"
        rf"to)\s{PHRASE})?)",
        "Has {what}{more}.",
        slot="owns.{what}{more}",
        confidence=0.8,
        example=("I have a PS5.", "Has a PS5."),
        counter="I have a mortgage question.",
        refuse=r".*\b(?:question|problem|issue)\b",
    ),
    rule(
        "been_doing",
        rf"{HAVE_BEEN}{ADVERB} (?P<what>(?:getting back into|volunteering (?:at|for|with)|selling my|"
        rf"growing my own|teaching|practi[cs]ing|coaching|training for|taking care of my|homeschooling|"
        rf"fostering|renting|learning(?: how)?(?: to)?(?= (?:play|speak|knit|sew|cook|code|drive|dance|"
        rf"paint|surf|ski|swim|(?-i:[A-Z])))|playing(?= (?:a lot of |some )?(?:the )?(?:soccer|tennis|"
        rf"basketball|volleyball|football|golf|chess|guitar|piano|violin|ukulele|drums|badminton|hockey|"
        rf"cricket|pickleball|squash|poker)))\s(?!it\b|this\b|that\b|them\b){PHRASE})",
        "Has been {what}.",
        slot="habit.{what}",
        confidence=0.75,
        refuse=r".*\b(?:it|this|that|them|these|those)\b",
        example=("I've been playing soccer and tennis lately.", "Has been playing soccer and tennis."),
        counter="I've been playing with this.",
    ),
    rule(
        "answered_use",
        r"i use: (?P<what>[^\n;:!?\"]{1,80}) as (?P<kind>[\w' +-]{2,40})",
        "{kind}: {what}.",
        slot="uses.{kind}",
        example=("I use: arch linux as OS", "OS: arch linux."),
        counter="I use arch linux.",
    ),
    rule(
        "answered",
        rf"i (?P<verb>{LASTING})(?:\s(?P<rest>[\w'-]+(?:\s[\w'-]+){{0,4}}))?: (?P<what>{PHRASE})",
        "{verb} {rest}: {what}.",
        slot="habit.{verb}.{rest}",
        example=("I sleep: badly", "Sleeps: badly."),
        counter="I said: badly.",
    ),
)
