"""Pieces that the pattern tables share; all are bounded, so that matching stays linear."""

GREETING = (
    r"\A\s{0,3}(?:hi|hey|hello|hiya|good (?:morning|afternoon|evening))(?: there| all| everyone| team)?"
)
"""How a turn begins."""
AM = r"(?:i\s?'m|i am|im)"
WE_ARE = r"(?:i\s?'m|i am|im|we're|we are)"
HAVE_BEEN = r"(?:i've been|i have been|we've been|we have been)"
ADVERB = (
    r"(?:\s(?:also|actually|really|just|currently|now|honestly|absolutely|definitely|personally|mostly|"
    r"mainly|still|already|recently|strongly|generally|finally|both|truly|much|primarily|proudly|only|so|"
    r"very|pretty|quite|fairly|relatively|totally|completely|fully|strictly|kind of|a bit|a huge|"
    r"a big)){0,3}"
)
TITLE = r"(?-i:Mrs?|Ms|Dr|Prof)"
_CAPITALISED = r"(?!I\b)[^\W\d_a-z][\w&-]*(?:'(?!s\b)[\w-]+)?"
_PARTICLE = r"(?:de|del|van|von|der|da|bin|al|of|la)"
NAME = rf"(?-i:(?:{TITLE}\.?\s)?(?!{TITLE}\b){_CAPITALISED}(?:\s(?:{_PARTICLE}\s)?{_CAPITALISED}){{0,3}})"
PLACE = rf"(?:the\s)?(?-i:(?:St|Mt|Ft)\.\s)?{NAME}(?:,\s{NAME})?"
END = (
    r"(?=\s*(?:[.!?\u2026\"')]*$|[;!?()]|[,:](?!\d)|(?<!\sa)\swhile\b|\s[-\u2013\u2014]{1,3}\s|\u2014|\.\s|"
    r"\s(?:but|so|because|since|which|who|where|when|though|although|by the way|btw|if|until|as well|too|"
    r"for now|at the moment|right now|anyway|these days|lately|and\s(?:i|i'm|i've|i'd|i'll|we|we're|my|our|"
    r"it|it's|he|she|they|was|am|is|are|have|had|would|want|need|just|also|then|can|could|will|now|"
    r"currently|mostly|mainly|usually|never|always|looking|planning|trying|not|that|this|there|plan|hope|love|like|"
    r"enjoy|hate|don't|so|one|as|"
    r"been|prescribed|told|found|bought|rearranged|earned|reserved|considering|added|starts?|started|realized|"
    r"noticed|wanted|thinking|wondering|honestly))\b))"
)
_CLAUSE_END = rf"[^\s,;:!?()\"](?:[^,;:!?()\"\n\u2014]|(?<=\d)[,:](?=\d)){{0,90}}?{END}"
_ITEM = (
    r"(?!(?:i|we|my|our|it|it's|he|she|they|so|but|which|who|where|and|then|thanks|please|can|could|do|"
    r"what|how|any|especially|since|because|though|if|as|was|is|are|have|would|want|need|am|i'm|i've|just|"
    r"also|maybe|like|including)\b)[\w'&-]+(?:\s(?!and\b|or\b|i\b)[\w'&-]+){0,3}"
)
PHRASE = rf"{_CLAUSE_END}(?:(?:,\s{_ITEM}){{1,5}},?\s(?:and|or)\s{_ITEM}{END})?"
"""A phrase up to the end of its clause."""

NATIONALITY = (
    r"(?:american|british|english|scottish|welsh|irish|canadian|australian|german|austrian|swiss|french|"
    r"belgian|dutch|danish|swedish|norwegian|finnish|icelandic|spanish|portuguese|italian|greek|turkish|"
    r"polish|czech|slovak|hungarian|romanian|bulgarian|serbian|croatian|albanian|ukrainian|russian|"
    r"lithuanian|latvian|estonian|mexican|brazilian|argentinian|chilean|colombian|peruvian|venezuelan|cuban|"
    r"jamaican|haitian|dominican|puerto rican|indian|pakistani|bangladeshi|sri lankan|nepali|chinese|"
    r"taiwanese|japanese|korean|vietnamese|thai|filipino|filipina|indonesian|malaysian|singaporean|iranian|"
    r"persian|iraqi|syrian|lebanese|jordanian|israeli|egyptian|moroccan|algerian|tunisian|nigerian|ghanaian|"
    r"kenyan|ethiopian|somali|south african|american|afghan|armenian|georgian|kurdish|palestinian|african|"
    r"asian|latin[oa]|hispanic|european)"
)
AMOUNT = (
    r"(?:(?:about |around |roughly |over |under |almost |nearly |just )?[$\u20ac\u00a3]?\d[\d.,]*\+? ?k?\b)"
)
"""A number, with a currency in front or a k behind."""

BACKWARD = (
    r"(?:it|its|that|this|these|those|them|they|your|you|how|what|when|where|why|whether|all|some of|any|"
    r"both|either|neither|one of|none|most of|each|another|such|something|anything|everything|nothing|"
    r"someone|to|here|there|him|her|his|their|in|on|with|at|about|as|from|for|and|or|not|so|too|more|less|"
    r"being|having|a few|a couple|a lot|lots)\b"
)
"""Openings of phrases that point into the conversation and mean nothing outside it."""
POINTING = rf"(?:{BACKWARD}|the\b)"
"""The same, with the article: "the second one"."""

DANGLING = (
    r"\b(?:it|its|it's|he|she|he's|she's|him|his|her|hers|one(?!\s(?:of|on)\b)|ones|then|there|here|your|"
    r"you|this(?!\s(?:week|weekend|month|year|summer|winter|spring|fall|autumn|\w+day))|these|those|"
    r"the same|another)\b|(?:^|\s)'(?!.*\w'(?:\s|$))"
)
"""What makes a phrase meaningless by itself: words that need the conversation, a quotation cut in two."""

OCCUPATION = (
    r"(?:engineer|developer|programmer|designer|teacher|nurse|doctor|physician|surgeon|lawyer|attorney|"
    r"paralegal|student|manager|analyst|consultant|writer|author|editor|journalist|marketer|accountant|"
    r"auditor|architect|scientist|researcher|professor|lecturer|tutor|buyer|freelancer|founder|co-founder|"
    r"entrepreneur|ceo|cto|cfo|coo|director|specialist|coordinator|administrator|admin|assistant|artist|"
    r"photographer|filmmaker|musician|chef|cook|baker|barista|waiter|waitress|mechanic|electrician|plumber|"
    r"carpenter|farmer|gardener|pilot|driver|salesperson|salesman|recruiter|therapist|psychologist|"
    r"psychiatrist|counselor|dentist|pharmacist|veterinarian|biologist|chemist|physicist|mathematician|"
    r"statistician|economist|translator|interpreter|librarian|realtor|broker|banker|trader|technician|"
    r"operator|planner|producer|instructor|trainer|coach|soldier|officer|firefighter|paramedic|executive|"
    r"intern|apprentice|contractor|blogger|youtuber|streamer|influencer|educator|principal|strategist|"
    r"advisor|adviser|agent|representative|rep|clerk|secretary|cashier|sysadmin|devops|sre|paleontologist|"
    r"geologist|undergrad|graduate|postdoc|sophomore|freshman|junior|major|lead|tester|hygienist|stylist|"
    r"hairdresser|tailor|pastor|priest|illustrator|animator|copywriter|novelist|poet|sculptor|painter|dancer|"
    r"actor|actress|singer|comedian|optometrist|optician|physio(?:therapist)?|midwife|caregiver|carer|nanny|"
    r"social worker|bartender|welder|roofer|machinist|surveyor|judge|detective|emt|flight attendant|sailor|"
    r"butcher|florist|beekeeper|brewer|landscaper|janitor|housekeeper|jeweler|barber|esthetician|"
    r"nutritionist|dietitian|historian|linguist|curator|archivist|actuary|bookkeeper|controller|treasurer|"
    r"investor|dev|trainee|rabbi|imam|handyman|policeman|policewoman|fisherman|rancher|breeder|locksmith|"
    r"sommelier|\w{4,}(?:ologist|iatrist|iatrician|ographer))"
)
STANDING = (
    r"(?:professional|owner|veteran|homemaker|retiree|parent|mom|mum|dad|mother|father|grandmother|"
    r"grandfather|runner|cyclist|hiker|gamer|swimmer|vet|immigrant|minimalist|introvert|extrovert|"
    r"morning person|night owl)"
)
"""What one can be besides an occupation."""
KIN = (
    r"(?:(?:older|younger|little|big|twin|elder|step|half|ex|late|new|best|close|good|old|former|"
    r"current)[\s-])?(?:sister|brother|mother|father|mom|mum|dad|wife|husband|spouse|partner|fianc[eé]e?|"
    r"girlfriend|boyfriend|son|daughter|kid|child|baby|niece|nephew|cousin|aunt|uncle|grandmother|"
    r"grandfather|grandma|grandpa|grandson|granddaughter|mother-in-law|father-in-law|sister-in-law|"
    r"brother-in-law|friend|roommate|flatmate|neighbou?r|manager|boss|supervisor|colleague|coworker|"
    r"co-worker|co-?founder|business partner|mate|teammate|assistant|mentor|teacher|professor|advisor|doctor|"
    r"therapist|dentist|landlord|"
    r"landlady|instructor|trainer|coach|client)"
)
BOSS = r"(?:boss|line manager|manager|supervisor)"
"""Of whom there is one at a time."""
PET = (
    r"(?:(?:\w+\s){0,2}(?:dog|puppy|cat|kitten|parrot|hamster|rabbit|bunny|horse|fish|turtle|tortoise|"
    r"lizard|gecko|snake|ferret|guinea pig|bird|parakeet|retriever|labrador|lab|poodle|beagle|terrier|"
    r"bulldog|corgi|husky|shepherd|dachshund|chihuahua|siamese|tabby|betta|goat|pony|hedgehog))"
)
DIET = (
    r"(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|keto|paleo|gluten[- ]free|dairy[- ]free|"
    r"plant[- ]based|halal|kosher|carnivore)"
)
AVOIDED = (
    r"(?:(?:any |all )?(?:tree nuts?|nuts?|peanuts?|gluten|dairy|lactose|milk|cheese|eggs?|soy|wheat|bread|shellfish|"
    r"seafood|shrimp|prawns|fish|sugar|sweets|caffeine|coffee|alcohol|meat|red meat|pork|beef|sesame|salt|honey|"
    r"strawberries|kiwis?|chocolate|spicy food|citrus|tomatoes|onions|garlic|mushrooms|latex|aspirin|ibuprofen|"
    r"penicillin)"
    r"(?:(?:,|,? (?:and|or)) (?:tree nuts|nuts|peanuts|gluten|dairy|lactose|milk|eggs|soy|wheat|shellfish|seafood|"
    r"fish|"
    r"meat|pork|beef|sesame)){0,3})"
)
"""What people must not eat, drink or take."""
CONDITION = (
    r"(?:(?:type [12] )?diabet(?:es|ic)|prediabet(?:es|ic)|asthma(?:tic)?|celiac(?: disease)?|"
    r"coeliac(?: disease)?|lactose[- ]intoleran(?:t|ce)|gluten[- ]intoleran(?:t|ce)|high blood pressure|"
    r"hypertension|high cholesterol|eczema|arthritis|migraines?|insomnia|adhd|anxiety|depression|ibs|"
    r"crohn's(?: disease)?|epilepsy|sciatica|psoriasis|rosacea|anemi[ac]|hypothyroidism|hay fever|"
    r"chronic \w+(?: (?:pain|disease|fatigue|syndrome|infection))?|sensitive skin|dry skin|oily skin|"
    r"combination skin|colou?r[- ]?blind(?:ness)?|dyslexi[ac]|autis(?:m|tic)|sleep apnea|pregnant|vertigo|"
    r"tinnitus)"
)
THINGS = (
    r"(?:car|truck|suv|van|motorcycle|motorbike|bike|bicycle|scooter|boat|rv|tesla|prius|guitar|piano|"
    r"keyboard|violin|ukulele|drum set|saxophone|cello|flute|camera|lens|laptop|computer|pc|macbook(?: pro| "
    r"air)?|ipad|iphone|phone|tablet|kindle|tv|television|console|playstation|xbox|nintendo switch|"
    r"smartwatch|watch|fitbit|headphones|speaker|printer|house|home|apartment|condo|studio|cabin|garden|"
    r"backyard|farm|greenhouse|pool|treadmill|aquarium|tank|smoker|grill|telescope|drone|sewing machine|air "
    r"fryer|instant pot|slow cooker|espresso machine|coffee maker|robot vacuum|subscription|membership|"
    r"degree|license|certification|collection|podcast|blog|business|shop|store|startup|youtube channel|"
    r"website)"
)
TIME = (
    r"(?:in\s(?:early\s|mid[- ]?|late\s)?(?:january|february|march|april|may|june|july|august|september|"
    r"october|november|december|spring|summer|autumn|fall|winter|20\d\d|\w+\s(?:days?|weeks?|months?))|"
    r"next\s\w+|this\s(?:weekend|week|month|summer|winter|spring|fall|year|\w+day)|tomorrow|tonight|"
    r"on\s(?:\w+day|(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december)(?:\s\d{1,2}(?:st|nd|rd|th)?)?|the\s\d{1,2}(?:st|nd|rd|th)))"
)

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|"
    r"apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY = (
    rf"(?:(?:the\s)?{_NTH}\s(?:of\s)?{_MONTH}(?:,?\s20\d\d)?|(?:in\s)?(?:early\s|mid[- ]?|late\s|the end "
    rf"of\s)?{_MONTH}(?:\s(?:the\s)?{_NTH}\b)?(?:,?\s20\d\d)?|(?:in\s)?20\d\d(?:-\d\d-\d\d)?|"
    rf"\d{{1,2}}[./]\d{{1,2}}(?:[./](?:20)?\d\d)?|(?:next\s|this\s|"
    rf"coming\s)?{_WEEKDAY}(?:,?\s(?:the\s)?{_NTH}\b(?:\s(?:of\s)?{_MONTH})?|,\s{_MONTH}\s{_NTH})?|"
    rf"next\s(?:week|month|year|weekend|spring|summer|autumn|fall|winter)|this\s(?:week|month|year|weekend|"
    rf"spring|summer|autumn|fall|winter)|tomorrow|tonight|today|the\s\d{{1,2}}(?:st|nd|rd|th)|in\s(?:\d+|a|"
    rf"an|two|three|four|five|six|a few|a couple of)\s(?:days?|weeks?|months?|years?)|(?:in\s)?(?:spring|"
    rf"summer|autumn|winter)|(?:the\s)?end of (?:the\s|this\s|next\s)?(?:week|month|year|quarter|{_MONTH})|"
    rf"christmas|easter|thanksgiving|new year's eve)"
)
_HOUR = (
    r"(?:\s(?:morning|afternoon|evening|night)\b)?"
    r"(?:\sat\s(?:\d{1,2}(?:[:.]\d\d)?(?:\s?[ap]\.?m\b\.?|\so'clock)?|noon|midnight))?"
)
DATE = rf"{_DAY}{_HOUR}(?![\w/-])"
"""A day, or a longer time by its name, with the hour where it is said."""
PERIOD = (
    rf"(?:(?:from|between)\s(?:the\s)?(?:{_DAY}|{_NTH})\s(?:to|until|till|through|and|-)\s{DATE}|(?:until|"
    rf"till|through|from|starting|as of|on|for the)\s{DATE}|for (?:\w+|a few|a couple of) (?:days|weeks|"
    rf"months)|{DATE}(?:\s(?:to|until|till|through|-)\s{DATE})?|all (?:of )?(?:next )?(?:week|month|"
    rf"{_MONTH}))"
)
"""From a day to a day, or one of these alone."""
WORD_FOR_TWO = r"(?:two|three|four|five|six|\d)"
FAMILY = (
    r"(?:(?:older|younger|middle|little|big|twin|elder|eldest|oldest|youngest|step|half|ex|"
    r"\d{1,2}[- ](?:year|month)[- ]old)[\s-])?(?:\d{1,2}[- ](?:year|month)[- ]old|sister|brother|"
    r"mother|father|mom|mum|dad|wife|husband|spouse|partner|fianc[e\u00e9]e?|girlfriend|boyfriend|son|"
    r"daughter|kid|child|baby|niece|nephew|cousin|aunt|uncle|grandmother|grandfather|grandma|grandpa|"
    r"grandson|granddaughter|mother-in-law|father-in-law|sister-in-law|brother-in-law|roommate|flatmate)"
)
LASTING = (
    r"speak|deploy to|host on|work with|bank with|take|sleep|eat|drink|smoke|feed|walk|exercise|work out|train|run|"
    r"cycle|swim|commute|get to work|cook|shop|write|practi[sc]e|meditate|watch|read|grow|sell|make|"
    r"look after|care for|work|get up|wake up|go to bed|start work|finish work|have dinner|have lunch|have breakfast"
)
"""What one does again and again: said as "I sleep: badly" where it answers a question, see `questions.py`."""
