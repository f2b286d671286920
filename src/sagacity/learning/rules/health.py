"""What the user may eat, and what ails them."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    AVOIDED,
    CONDITION,
    DIET,
    END,
    PHRASE,
    POINTING,
    WE_ARE,
)

_SINCE = (
    r"(?:(?:about|around|over|almost|nearly)\s)?(?:(?:an?|a few|a couple of|some|\w+)\s(?:years?|months?|weeks?|days?)"
    r"\sago|(?:last|this|earlier this)\s\w+|in\s(?:early\s|late\s)?(?:\w+\s)?(?:19|20)\d\d|as an?\s(?:\w+\s)?"
    r"(?:child|kid|teen\w*|baby|adult))"
)
_WITHOUT = (
    r"(?:please )?(?:no|nothing with|nothing containing|not|without|avoid|skip|leave out|hold)(?: the)?"
)
_SOMETHING = (
    r"[a-z][\w-]+(?:\s(?!please\b|i'?m\b|i\b|because\b|since\b|as\b|and\b|or\b|in\b|for\b|allowed\b|here\b|today\b|"
    r"tonight\b)[\w-]+)?"
    r"(?:(?:,| and| or)\s(?!i'?m\b|i\b|please\b)[\w-]+){0,2}?"
)

_NOT_GONE = (
    r"(?!\s(?:(?:is|are|was|were|has|have|had|went|got)\s)?(?:(?:now|all|finally|completely|totally|almost|basically|"
    r"also|been|just|mostly)\s){0,3}(?:gone|went away|away|cured|healed|over(?!\s\w+ing)|cleared|disappeared|vanished|"
    r"resolved|a thing of the past|history|no (?:longer|more))\b)"
)
"""What is not said of an illness that is over."""

HEALTH: Final[tuple[Rule, ...]] = (
    rule(
        "diet_ended",
        rf"{AM} (?:no longer|not)(?: an?)? (?P<diet>{DIET})\b(?:\sany\s?more)?",
        "Is not {diet}.",
        slot="diet",
        negates=True,
        confidence=0.9,
        example=("I'm no longer vegan.", "Is not vegan."),
        counter="Is it vegan?",
    ),
    rule(
        "diet",
        rf"(?:{AM}{ADVERB}(?: an?)?|as an?|i(?:'ve| have)?{ADVERB}(?: \w+){{0,3}}? (?:go|gone|went|became|"
        rf"become|turned|turn|switched to|been)(?: an?)?)\s(?:(?:fully|strictly|mostly|completely|"
        rf"entirely)\s)?(?P<diet>{DIET})\b(?:\sdiet)?(?!\s(?:restaurant|recipe|option|place|cookbook))",
        "Is {diet}.",
        slot="diet",
        exclusive=True,
        confidence=0.9,
        example=("Big life update: I had to go fully vegetarian.", "Is vegetarian."),
        counter="If I were vegan, what would I eat?",
    ),
    rule(
        "diet_followed",
        rf"(?:{AM}{ADVERB} (?:on|following)|i(?:'ve| have)?{ADVERB} (?:follow|started|been (?:on|"
        rf"following)|adopted))\s(?:an?|the)\s(?:strict\s)?(?P<diet>(?:low |high |whole )?[\w-]+(?: free)?)[ -]diet",
        "Follows a {diet} diet.",
        slot="diet",
        exclusive=True,
        refuse=r"(?:new|better|healthy|healthier|different|balanced|good)\b",
        example=("I'm on a strict keto diet.", "Follows a keto diet."),
        counter="I started a diet.",
    ),
    rule(
        "allergy",
        rf"(?:{AM}{ADVERB}(?: \w+ly)? allergic to\s(?P<what>{PHRASE})|(?:i have|i've got) (?:an?\s)?"
        rf"(?:\w+ly\s|severe\s|bad\s|mild\s)?"
        rf"(?P<kind>(?!(?:no|any|zero)\b|skin|food|seasonal|common)[\w-]+) allerg(?:y|ies))",
        "Is allergic to {what}{kind}.",
        slot="health.allergy.{what}{kind}",
        confidence=0.95,
        refuse=rf"{POINTING}|(?:mornings?|mondays?|work|people|stupid\w*|bullshit|drama|meetings|commitment|sports?)"
        rf"\b",
        example=("I'm allergic to peanuts and I love curry.", "Is allergic to peanuts."),
        counter="My son is allergic to peanuts.",
    ),
    rule(
        "allergic_to_that",
        rf"{_WITHOUT}\s(?P<what>{_SOMETHING})(?:\splease)?(?:,| -)?(?: because| since| as)?\s{AM}(?: \w+ly| very| "
        rf"really)? "
        rf"allergic(?: to (?:it|them|those|that))?(?=\s*(?:[.!;)]|,|$)|\s(?:and|but|so)\b)|{AM}(?: \w+ly| very)? "
        rf"allergic,? so "
        rf"(?:please )?{_WITHOUT}\s(?P<more>{_SOMETHING})(?=\s(?:please|in)\b|\s*(?:[.!,;)]|$))",
        "Is allergic to {what}{more}.",
        slot="health.allergy.{what}{more}",
        confidence=0.9,
        refuse=rf"{POINTING}|(?:problem|worries|need|way|idea|thanks|more|pets? (?:for|in)|reason|doubt|rush)\b",
        example=("And nothing with peanuts, I'm allergic.", "Is allergic to peanuts."),
        counter="No worries, I'm allergic.",
    ),
    rule(
        "cannot_have",
        rf"i{ADVERB} (?:can't|cannot|must not|mustn't|am not allowed to|'m not allowed to) (?:have|take)\s"
        rf"(?P<what>{AVOIDED})(?=\s*(?:[.,!;)]|$)|\s(?:and|but|so|because|at|since|anymore|any more|due|as|for)\b)",
        "Cannot have {what}.",
        slot="diet.avoids.{what}",
        confidence=0.9,
        example=("I can't have nuts.", "Cannot have nuts."),
        counter="I can't have visitors.",
    ),
    rule(
        "condition",
        rf"(?:{AM}{ADVERB}|(?:i|i've)(?: \w+)? (?:have|got|had|suffer from|struggle with|deal with|"
        rf"been diagnosed with)|i was(?: \w+)? diagnosed with)\s(?:an?\s)?(?P<what>"
        rf"(?:\w+\s){{0,2}}?{CONDITION})\b",
        "Health: {what}.",
        slot="health.{what}",
        confidence=0.9,
        refuse=r"(?:no|not|never|less|some|any|the|zero|had|diagnosed)\b",
        example=("I was recently diagnosed with high blood pressure.", "Health: high blood pressure."),
        counter="Does he have asthma?",
    ),
    rule(
        "diagnosed_when",
        rf"\b(?:diagnosed me|i was(?: \w+ly)? diagnosed|i(?:'ve| have) been diagnosed) with\s(?:an?\s)?"
        rf"(?P<what>(?!\s)[^,.;:!?\n]{{2,60}}?)\s(?P<when>{_SINCE}){END}",
        "Health: {what} (diagnosed {when}).",
        slot="health.{what}",
        confidence=0.9,
        anywhere=True,
        refuse=POINTING,
        example=(
            "I was diagnosed with diabetes two years ago.",
            "Health: diabetes (diagnosed two years ago).",
        ),
        counter="My wife was diagnosed with diabetes two years ago.",
    ),
    rule(
        "diagnosed",
        rf"\b(?:diagnosed me|i was(?: \w+ly)? diagnosed|i(?:'ve| have) been diagnosed) with\s(?:an?\s)?"
        rf"(?P<what>(?![^,.;:!?\n]{{2,60}}\s{_SINCE}{END}){PHRASE})",
        "Health: {what}.",
        slot="health.{what}",
        confidence=0.9,
        anywhere=True,
        refuse=POINTING,
        example=("Dr. Lee diagnosed me with chronic sinusitis.", "Health: chronic sinusitis."),
        counter="He was diagnosed with the flu.",
    ),
    rule(
        "intolerant",
        rf"(?:{AM}{ADVERB} (?:\w+ly )?intolerant (?:to|of)\s(?P<what>{PHRASE})|i{ADVERB} (?:can't|cannot|"
        rf"don't) tolerate\s(?P<more>(?!how\b|when\b|people\b|being\b){PHRASE}))",
        "Does not tolerate {what}{more}.",
        slot="health.intolerance.{what}{more}",
        refuse=POINTING,
        confidence=0.9,
        example=("I'm intolerant to histamine.", "Does not tolerate histamine."),
        counter="I can't tolerate how slow it is.",
    ),
    rule(
        "medication",
        rf"i(?:'m| am|'ve been)?{ADVERB} (?P<verb>take|taking|on)\s(?P<what>(?:\d+ ?mg (?:of )?)?(?:insulin|"
        rf"metformin|ibuprofen|aspirin|antidepressants|antihistamines|statins|beta blockers|blood thinners|"
        rf"warfarin|levothyroxine|lisinopril|lexapro|zoloft|xanax|ozempic|wegovy|mounjaro|gabapentin|"
        rf"prednisone|antibiotics|melatonin|creatine|vitamin \w+|fish oil|magnesium|iron (?:pills|"
        rf"supplements)|supplements|trt|hrt|a statin|wellbutrin|vyvanse|methotrexate|humira|accutane|(?:a "
        rf")?beta blocker|omeprazole|sertraline|prozac|ritalin|adderall|birth control|the pill|blood "
        rf"pressure medication|medication for\s{PHRASE}))\b(?P<often>(?:\s(?:daily|every day|every morning|"
        rf"twice a day|for\s(?!\w+\s(?:\w+\s)?(?:days?|weeks?|months?|years?)\b|the (?:next|moment|time)|now\b)"
        rf"[\w\s]{{3,30}}?(?=\s*(?:[.,;!)]|$)|\s(?:and|but|so|until|since|because)\b)))?)(?=[\s,.;!)]|$)",
        "Takes {what} {often}.",
        slot="health.medication.{what}",
        exclusive=True,
        example=("I take metformin every day.", "Takes metformin every day."),
        counter="Should I take aspirin?",
    ),
    rule(
        "gets_sick",
        rf"i{ADVERB}(?: always| easily| often| usually)? get (?:really |very |so |easily )?(?P<what>(?:motion|car|"
        rf"sea|air|"
        rf"travel|altitude)[- ]?sick|hay fever|hives|rashes|dizzy spells|panicky|nosebleeds|cold sores|"
        rf"sunburnt? easily)"
        rf"(?P<where>(?:\s(?:on|in|at|from)\s(?!it\b|that\b|this\b){PHRASE})?){END}",
        "Gets {what} {where}.",
        slot="health.gets.{what}",
        example=("I get motion sick on small planes.", "Gets motion sick on small planes."),
        counter="I get sick of it.",
    ),
    rule(
        "afraid_of",
        rf"{AM}{ADVERB} (?:afraid|scared|terrified) of\s(?P<what>flying|heights|spiders|dogs|needles|deep "
        rf"water|the dark|elevators|enclosed spaces|small spaces|snakes|public speaking|crowds|clowns|blood|"
        rf"thunderstorms)\b",
        "Is afraid of {what}.",
        slot="fear.{what}",
        example=("I'm afraid of flying.", "Is afraid of flying."),
        counter="I'm afraid of losing it.",
    ),
    rule(
        "operation",
        rf"(?:{AM}|i'll be){ADVERB} (?P<what>(?:getting|having|starting|undergoing|going through|in|doing) "
        rf"(?:radiation|treatment for\s{PHRASE}|physical therapy|physio|ivf|dialysis|rehab|therapy(?! "
        rf"session)|couples therapy|surgery|an operation|a (?:knee|hip) replacement|chemo|chemotherapy|my "
        rf"\w+ (?:removed|fixed|replaced))\b(?:\s(?:on|in|next|this|for)\s[\w\s]{{2,40}}?)?){END}",
        "Is {what}.",
        slot="health.operation",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm having surgery on my knee next month.", "Is having surgery on their knee next month."),
        counter="I'm having trouble.",
    ),
    rule(
        "measure",
        r"(?:(?:i\s?'m|i am)\s(?P<height>\d'\s?\d{1,2}\"?|\d (?:foot|feet|ft) \d{1,2}|[12][.,]\d\d(?: ?m(?:et(?:er|"
        r"re)s)?)?|"
        r"[12]\d\d ?cm)(?: tall)?|i weigh\s(?:about |around )?(?P<weight>\d{2,3}(?:[.,]\d)? ?(?:kg|kilos|"
        r"pounds|lbs)))(?=\s*(?:[.,;!)]|$)|\s(?:and|but)\b)",
        "Measures {height}{weight}.",
        slot="identity.measure",
        example=("I weigh 80 kg.", "Measures 80 kg."),
        counter="I weigh my words.",
    ),
    rule(
        "injury",
        rf"i(?:'ve| have)?{ADVERB} (?P<did>broke|broken|sprained|tore|torn|fractured|dislocated|"
        rf"injured)\smy\s(?P<what>(?:left |right )?(?:leg|arm|ankle|wrist|foot|toe|finger|hip|knee|rib|ribs|"
        rf"collarbone|shoulder|hand|acl|meniscus|hamstring|nose|elbow|back)\b(?:\s(?:last|in|on|two|three|a|"
        rf"while|playing|doing|\w+ing)\b(?:\s[\w\s]{{2,25}}?)?)?){END}",
        "{did} their {what}.",
        slot="health.injury.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I broke my leg last week.", "Broke their leg last week."),
        counter="I broke my promise.",
    ),
    rule(
        "bad_part",
        r"(?:i have|i've got|i got)(?: \w+ly)? (?P<what>(?:an?\s)?(?:bad|weak|herniated|slipped|"
        r"torn)\s(?:back|knees?|hips?|shoulders?|ankles?|eyesight|hearing|disc|meniscus|lungs|heart))\b",
        "Has {what}.",
        slot="health.{what}",
        example=("I have a bad knee so no running.", "Has a bad knee."),
        counter="I have a bad feeling.",
    ),
    rule(
        "wears",
        r"i(?: always| usually| also)? (?P<verb>wear|need|use) (?P<what>(?:reading )?glasses|contact lenses|"
        r"contacts|(?:a )?hearing aids?|(?:a )?wheelchair|braces|(?:a )?cane|a cpap(?: machine)?|"
        r"crutches|an? (?:standing desk|screen reader|walking (?:stick|frame)|walker|guide dog|inhaler|insulin pump|"
        r"magnifier|braille \w+|white cane))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|to|since|because|for \w+ing|when|"
        r"at)\b)",
        "{verb} {what}.",
        slot="health.aid.{what}",
        example=("I wear glasses.", "Wears glasses."),
        counter="I wear a hat.",
    ),
    rule(
        "abstains",
        rf"i{ADVERB} (?:don't|do not|never|no longer|stopped) (?P<what>(?:smoke|drink|vape|smoking|drinking)"
        rf"(?:\s(?:alcohol|cigarettes|any alcohol|coffee|beer|wine|weed))?)(?:\sany\s?more|\sat all)?"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because)\b)",
        "Does not {what}.",
        slot="habit.{what}",
        exclusive=True,
        refuse=r"\w+ing\b",
        example=("I don't smoke and I don't drink.", "Does not smoke."),
        counter="Smoke does not bother me.",
    ),
    rule(
        "no_longer_eats",
        rf"i(?:'ve| have)?{ADVERB} no longer (?P<verb>eat|drink|touch)\s(?P<what>(?!it\b|that\b|them\b|"
        rf"this\b|out\b|there\b|at\b|in\b|as\b|too\b|so\b|before\b|after\b){PHRASE})",
        "No longer {verb} {what}.",
        slot="diet.avoids.{what}",
        refuse=r"\w+ (?:it|that|this|them)\b",
        example=("I no longer eat meat.", "No longer eats meat."),
        counter="I no longer eat at noon.",
    ),
    rule(
        "cannot_eat",
        rf"(?:i|we){ADVERB} (?P<how>can't|cannot|don't|do not|never) (?P<what>(?:eat|drink|(?:do|"
        rf"have)(?=\s(?:dairy|gluten|caffeine|alcohol|sugar|nuts|lactose|spicy|meat|pork|shellfish|salt|"
        rf"wheat|soy|eggs)\b))\s(?!or\b|enough|much|a lot|too|as|that|well)\w{PHRASE})",
        "Does not {what}.",
        slot="diet.avoids.{what}",
        refuse=r"(?:eat|drink)\s(?:it|that|this|them|any of|all)\b",
        example=("I don't eat pork, by the way.", "Does not eat pork."),
        counter="I don't eat enough.",
    ),
    rule(
        "body",
        rf"my (?P<of>cholesterol|blood pressure|blood sugar|iron|ferritin|vitamin d|bmi|resting heart rate|"
        rf"skin(?: type)?|hair|scalp|vision|eyesight|hearing|eyes|feet|stomach|metabolism|a1c|tsh|"
        rf"testosterone)(?P<more>(?:\slevels?|\scounts?)?)\s(?P<how>is|are|has been|have been|runs?) "
        rf"(?P<what>(?:\w+ly |a bit |a little |pretty |quite |very |kind of |always |"
        rf"super |too |somewhat )*(?:high|low|elevated|borderline|dry|oily|normal|combination|sensitive|"
        rf"curly|wavy|straight|frizzy|thin|thick|fine|thinning|gr[ae]y|brown|blonde?|red|black|blue|green|"
        rf"hazel|short|long|shoulder[- ]length|bad|poor|terrible|weak|flat|wide|\d[\d./-]*(?:\s?(?:bpm|"
        rf"mg/dl|%))?)(?:\sand\s\w+)?){END}",
        "{of} {more} {how} {what}.",
        slot="health.body.{of}",
        exclusive=True,
        example=("My skin type is normal.", "Skin type is normal."),
        counter="My hair is a mess.",
    ),
    rule(
        "has_body",
        r"i(?:'ve got| have| naturally have)\s(?:naturally |very |really |super |pretty "
        r")?(?P<what>(?:(?:short|long|thick|thin|fine|curly|wavy|straight|frizzy|coily|red|blonde?|brown|"
        r"black|gr[ae]y|dark|blue|green|hazel|wide|flat|narrow|sensitive|fair|pale|olive)(?:,? (?:and "
        r")?)){1,3}(?:hair|eyes|feet|skin|teeth|gums|scalp)|a sensitive (?:stomach|scalp|nose)|a (?:sweet "
        r"tooth|high metabolism|photographic memory|stutter|lisp|limp|tattoo|pacemaker|hearing aid))\b",
        "Has {what}.",
        slot="health.has.{what}",
        refuse=r"thick skin",
        example=("I have thick curly hair.", "Has thick curly hair."),
        counter="I have long evenings.",
    ),
    rule(
        "takes_dose",
        rf"i(?:'m| am|'ve been)?{ADVERB} (?:take|taking|on|prescribed)\s(?P<what>\d+ ?(?:mg|mcg|iu|ml|"
        rf"units|g) (?:of )?{PHRASE})",
        "Takes {what}.",
        slot="health.medication.{what}",
        example=("I take 40mg of atorvastatin.", "Takes 40mg of atorvastatin."),
        counter="I take 20 minutes.",
        refuse=r".*\b(?:flour|sugar|butter|protein|water|carbs)\b",
    ),
    rule(
        "trouble",
        rf"(?:i|i've){ADVERB} (?:have|had|get|suffer from|struggle with|deal with|been having|been dealing "
        rf"with|been struggling with)\s(?P<what>(?:a )?(?:\w+ )?(?:trouble|difficulty|problems) (?:sleeping|"
        rf"falling asleep|staying asleep|hearing|walking|breathing|swallowing|concentrating|focusing|"
        rf"seeing)|an? (?:fear|phobia) of\s{PHRASE}|(?:(?:bad|terrible|chronic|frequent|severe|regular|"
        rf"seasonal|constant|really bad|lower|occasional) )*(?:migraines|headaches|heartburn|acid reflux|"
        rf"gerd|allergies|back pain|neck pain|knee pain|joint pain|panic attacks|nosebleeds|cold sores|"
        rf"cramps|hot flashes|motion sickness|car sickness|sinus (?:issues|problems|infections)|stomach "
        rf"issues|digestive issues|nightmares|night sweats|brain fog|social anxiety|ptsd|ocd|bipolar(?: "
        rf"disorder)?|endometriosis|pcos|fibromyalgia|lupus|ms|multiple sclerosis|scoliosis|plantar "
        rf"fasciitis|carpal tunnel|gout|narcolepsy|arachnophobia|claustrophobia|agoraphobia|emetophobia|"
        rf"synesthesia|perfect pitch|tendonitis|osteoporosis|anemia|a heart (?:condition|murmur)|a thyroid "
        rf"(?:condition|problem)|hypothyroidism|hashimoto's|ulcerative colitis|kidney disease|glaucoma|"
        rf"cataracts|alopecia|acne|hiv|stage fright|imposter syndrome))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|"
        rf"since|when|from|because|after|at|every|in|lately|a lot|sometimes|for)\b)",
        "Health: {what}.",
        slot="health.{what}",
        confidence=0.85,
        example=("I have trouble sleeping.", "Health: trouble sleeping."),
        counter="I have trouble with it.",
    ),
    rule(
        "reacts",
        r"(?P<what>(?!it\b|that\b|this\b|he\b|she\b|they\b|which\b|you\b|what\b)[\w-]+(?:\s[\w-]+)?) "
        r"(?P<did>gives?|makes?|upsets?|triggers?)\s(?P<how>me\s(?:\w+ )?(?:gag|itch|ill|sneeze|wheeze|cough|"
        r"queasy|gassy|vomit|puke|feel (?:sick|ill|bad|tired)|tired|headaches|migraines|heartburn|"
        r"hives|a rash|rashes|anxiety|nightmares|acne|breakouts|sick|nauseous|bloated|jittery|anxious|"
        r"sleepy|itchy|break out)|my (?:stomach|migraines|asthma|eczema|ibs|acid reflux))(?=\s*(?:[,.;!)]|"
        r"$)|\s(?:and|but|so|if|when)\b)",
        "{what} {did} {how}.",
        slot="health.reaction.{what}",
        example=("Caffeine gives me headaches.", "Caffeine gives them headaches."),
        counter="That gives me headaches.",
        refuse=r".*\b(?:code|bug|job|boss|work|error|always|really)\b",
    ),
    rule(
        "due_in",
        rf"{AM}{ADVERB} (?:due|expecting)\s(?:in|on)\s(?P<when>(?:early |mid[- ]?|late )?(?-i:January|"
        rf"February|March|April|May|June|July|August|September|October|November|December)(?:\s\d+\w*)?){END}",
        "Is pregnant, due in {when}.",
        slot="family.pregnancy",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm due in July.", "Is pregnant, due in July."),
        counter="I'm due in court.",
    ),
    rule(
        "fasts",
        rf"i(?:'m| am|'ve been)?{ADVERB} (?:do|doing|practice|practicing|following|"
        rf"follow)?\s?(?P<what>intermittent fasting|keto|paleo|whole30|weight watchers|omad|carb cycling|"
        rf"crossfit|fast(?:ing)? (?:until|from|for)\s{PHRASE})(?=[\s,.;!)]|$)",
        "Does {what}.",
        slot="diet.regime",
        example=("I do intermittent fasting.", "Does intermittent fasting."),
        counter="Do I do intermittent fasting?",
    ),
    rule(
        "has_not_eaten",
        rf"i haven't (?P<what>(?:eaten|had|drunk|touched|smoked)\s(?!it\b|that\b|this\b|any\b|much\b|a "
        rf"chance\b|time\b|lunch\b|breakfast\b|dinner\b)[\w-]+(?: \w+)? (?:in|for|since)\s{PHRASE})",
        "Has not {what}.",
        slot="diet.has_not.{what}",
        refuse=r".*\b(?:hours|minutes|morning|yesterday|luck|problems|issues|chance|today)\b",
        example=("I haven't eaten meat in years.", "Has not eaten meat in years."),
        counter="I haven't had a chance in weeks.",
    ),
    rule(
        "sensitive_to",
        rf"{AM}{ADVERB} (?P<how>sensitive|prone|immune|addicted|averse) to\s(?P<what>(?!it\b|this\b|that\b|"
        rf"these\b|your\b|how\b|the (?:fact|way)\b){PHRASE})",
        "Is {how} to {what}.",
        slot="health.sensitive.{what}",
        refuse=r".*\b(?:errors?|mistakes|noise|bugs|typos)\b",
        example=("I'm sensitive to caffeine.", "Is sensitive to caffeine."),
        counter="I'm sensitive to that.",
    ),
    rule(
        "my_condition",
        rf"\bmy (?P<what>(?:(?:severe|mild|bad|terrible|chronic|seasonal|recurring|peanut|nut|cat|dog|"
        rf"pollen|dairy|gluten|shellfish|generalized|social) )?(?!pregnant\b|autis|diabetic\b|asthmatic\b|"
        rf"epilep|dyslexi|prediabetic\b)(?:{CONDITION}|sinusitis|allerg(?:y|ies)|acid reflux|gerd|ptsd|ocd|"
        rf"fibromyalgia|endometriosis|pcos|lupus|scoliosis|plantar fasciitis|carpal tunnel|gout|"
        rf"tendonitis|hypothyroidism|hashimoto's|ulcerative colitis|gluten intolerance|lactose intolerance|"
        rf"dairy intolerance|back pain|knee pain|neck pain|shoulder pain|(?:torn|herniated|slipped|"
        rf"sprained|broken|fractured|injured|arthritic|bad|weak) (?:acl|meniscus|disc|rotator cuff|ankle|"
        rf"wrist|knees?|back|hip|shoulder|foot|toe|leg|arm|elbow|hamstring|achilles))){_NOT_GONE}"
        rf"(?=\s*(?:[,.;!?)]|$)|\s(?:and|but|so|is|was|has|gets|flares|acts|when|since|because|at|in|with|"
        rf"from|makes|means|under|for|right)\b)",
        "Health: {what}.",
        slot="health.{what}",
        confidence=0.8,
        presupposed=True,
        example=("I'm hoping it helps me recover from my torn ACL.", "Health: torn ACL."),
        counter="I fixed my allergy app.",
    ),
    rule(
        "pain_in",
        rf"(?:i|i've){ADVERB} (?:have|had|get|been having|been dealing with|been struggling with|been "
        rf"getting|been experiencing)\s(?:some |a lot of |a few |really |terrible |chronic |bad "
        rf")*(?P<what>(?:issues|problems|trouble|pain) (?:with|in) my (?:lower |upper |left |right "
        rf")?(?:knees?|back|hips?|shoulders?|neck|wrists?|ankles?|feet|foot|hands?|joints|stomach|eyes|skin|"
        rf"ears?|teeth|sinuses|thyroid|heart|lungs|digestion|sleep|memory|hearing|balance))\b",
        "Health: {what}.",
        slot="health.{what}",
        example=("I've been having some issues with my knees.", "Health: issues with their knees."),
        counter="I've been having some issues with my code.",
    ),
    rule(
        "diet_of_us",
        rf"(?:(?:we|my (?:husband|wife|partner|girlfriend|boyfriend|family|kids) and (?:i|me)|me and my \w+|"
        rf"my whole family)(?:'re| are| is)(?: both| all)?|my family is|our (?:family|household) is)(?: "
        rf"also| now| mostly| strictly)?\s(?P<diet>{DIET})s?(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|now|"
        rf"because)\b)",
        "Their family is {diet}.",
        slot="diet.family",
        exclusive=True,
        example=("My husband and I are vegetarians.", "Their family is vegetarian."),
        counter="My husband and I are late.",
    ),
    rule(
        "avoids",
        rf"(?:i|we){ADVERB} (?:(?:need|have|try|want|am trying|'m trying|'ve been trying) to (?:avoid|limit|"
        rf"watch|cut down on|stay away from)|stay away from|steer clear of|can't handle|can't digest|react "
        rf"badly to)\s(?P<what>(?:my )?(?:gluten|dairy|sugar|salt|sodium|caffeine|alcohol|lactose|nuts|"
        rf"peanuts|tree nuts|shellfish|seafood|red meat|meat|pork|beef|soy|wheat|carbs|spicy food|spice|"
        rf"fried food|processed food|cholesterol|fat|fodmaps|high-impact exercise|heavy lifting|running|"
        rf"sunlight|direct sun|perfume|fragrance|fragrances|latex|aspirin|ibuprofen|nsaids|blood pressure|"
        rf"blood sugar|sugar intake|weight)(?:(?:,| and| or|, and) \w+)*)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|"
        rf"so|because|for|since|due|at|after|as)\b)",
        "Avoids {what}.",
        slot="diet.avoids.{what}",
        confidence=0.85,
        example=("I need to avoid gluten.", "Avoids gluten."),
        counter="I need to avoid mistakes.",
    ),
    rule(
        "keeps_diet",
        rf"(?:i|we){ADVERB} (?P<verb>keep|eat|observe)\s(?P<what>kosher|halal|shabbat|the sabbath|ramadan|"
        rf"lent|vegan|vegetarian|plant[- ]based|clean|low[- ]carb|gluten[- ]free|dairy[- ]free|"
        rf"organic)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because|for|since|at|mostly|most|this)\b)",
        "{verb} {what}.",
        slot="diet.regime.{what}",
        example=("I keep kosher.", "Keeps kosher."),
        counter="I keep it.",
    ),
    rule(
        "expecting_child",
        rf"(?:{WE_ARE}|(?:me and my|my) (?:wife|husband|partner|girlfriend|boyfriend)(?: and i)? (?:is|"
        rf"are)){ADVERB} (?P<what>expecting|trying (?:to conceive|for a baby)|undergoing ivf|doing ivf|"
        rf"(?:trying|hoping) to get pregnant){END}|(?:we|i) have (?P<way>a (?:baby|kid|child|little one) on "
        rf"the way|twins on the way)",
        "Family: {what}{way}.",
        slot="family.pregnancy",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("We have a baby on the way.", "Family: a baby on the way."),
        counter="We're expecting rain.",
    ),
)
