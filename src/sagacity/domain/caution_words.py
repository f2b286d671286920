"""Words for diets, allergies and illnesses, and for meals, journeys and sport, in five languages."""

from typing import Final

DIETS: Final = (
    r"(?:vegans?|vegetarians?|veggie|pes[ck]at[ae]rian|flexitarian|gluten-?\s?free|dairy-?\s?free|"
    r"lactose-?\s?free|nut-?\s?free|halal|kosher|keto(?:genic)?|paleo|low[ -](?:carb|salt|sodium|sugar|fat|fodmap)|"
    r"sugar-?\s?free|vegetari(?:er(?:in)?|sch)|veganer(?:in)?|pes[ck]etari\w+|glutenfrei|laktosefrei|koscher|"
    r"v[ée]gane?|végétarien(?:ne)?|végétalien(?:ne)?|casher|sans gluten|sans lactose|"
    r"vegan[oa]|vegetarian[oa]|sin gluten|sin lactosa|sem glúten|sem lactose)"
)
FOODS: Final = (
    r"(?:meat|pork|beef|fish|shellfish|seafood|shrimps?|dairy|milk|lactose|gluten|wheat|eggs?|(?:pea|tree )?nuts?|"
    r"peanuts?|almonds?|soy|sugar|salt|alcohol|wine|beer|caffeine|coffee|cheese|bread|grapefruit|spicy food|"
    r"fructose|histamine|carbs|gelatine?|honey)"
)
ALLERGENS_BUT_FOOD: Final = (
    r"(?:pollen|dust|mites?|cats?|dogs?|horses?|animals?|pets?|fur|feathers?|hair|bees?|wasps?|insects?|stings?|"
    r"mou?ld|grass(?:es)?|ragweed|birch|trees?|latex|nickel|perfumes?|fragrances?|wool|penicillin|amoxicillin|"
    r"antibiotics?|aspirin|ibuprofen|codeine|morphine|sulfa|iodine|plasters?|anaesthetics?|anesthetics?|contrast|"
    r"medication|seasonal|skin|drugs?|"
    r"katzen\w*|hunde\w*|birken\w*|gräser\w*|hausstaub\w*|penicillin\w*|bienen\w*|wespen\w*|"
    r"chats?|chiens?|acariens|pénicilline|abeilles|guêpes|"
    r"gatos?|perros?|polen|polvo|ácaros|penicilina|abejas|cães|cachorros?|pólen|pó|poeira|abelhas)"
)
ILLNESSES_THAT_LIMIT_FOOD: Final = (
    r"(?:diabet\w+|diabét\w+|diabète|crohn'?s?|colitis|irritable bowel|ibs|kidney \w+|gout|(?:acid )?reflux|gerd|"
    r"gastritis|ulcers?|(?:high )?cholesterol|high blood pressure|hypertension|liver \w+|anorexi\w+|bulimi\w+|"
    r"eating disorder|bluthochdruck|hypertonie|gicht|goutte|hipertensión|presión alta|tensión alta|hipertensão|"
    r"pressão alta|gota)"
)
ILLNESSES: Final = (
    r"(?:asthma\w*|epilep\w+|seizures?|chronic \w+|low blood pressure|heart (?:disease|condition|failure|problems?|"
    r"murmur)|arrhythmia|pacemaker|cancer|leuka?emia|lymphoma|copd|hepatitis|hiv|ha?emophilia|ana?emi[ac]|arthritis|"
    r"osteoporosis|fibromyalgia|lupus|multiple sclerosis|parkinson'?s?|migraines?|(?:hypo|hyper)?thyroid\w*|"
    r"depression|anxiety|panic attacks?|bipolar|ptsd|insomnia|sleep apno?ea|sciatica|vertigo|thrombosis|"
    r"blood clots?|hay fever|herniated dis[ck]|torn (?:acl|meniscus|ligament)|"
    r"(?:bad|weak|broken|injured|replaced|artificial) (?:knees?|back|hips?|shoulder|ankle|leg|arm|wrist|heart)|"
    r"(?:back|knee|neck|hip|shoulder|joint) (?:pain|problems?|injury)|"
    r"heuschnupfen|migräne|rheuma|rückenschmerzen|herz\w+|krebs|depressionen|arthrose|"
    r"asthme|asthmatique|épilep\w+|arthrite|dépression|"
    r"asma|asmátic[oa]|migrañas?|artritis|cáncer|depresión|ansiedad|"
    r"enxaquecas?|artrite|câncer|cancro|depressão|ansiedade)"
)
MEDICINES: Final = (
    r"(?:medications?|medicines?|meds|pills?|tablets?|insulin|(?:blood )?thinners?|antidepressants?|antibiotics?|"
    r"statins?|beta[ -]blockers?|steroids?|cortisone|prednisone|anticoagulants?|immunosuppressants?|"
    r"antihistamines?|warfarin|aspirin|ibuprofen|lithium|epipen|inhaler|"
    r"\w{3,}(?:pril|sartan|olol|statin|prazole|formin|thyroxine|xaban|cillin|mycin|zepam|oxetine|dipine|traline|"
    r"gabalin)|medikamente?|tabletten|blutverdünner|médicaments?|insuline|"
    r"medicación|medicamentos?|pastillas|insulina|anticoagulantes|medicação|remédios?|comprimidos)"
)
IS: Final = (
    r"(?:is|are|am|be|been|being|became|went|turned|gone|'s|'m|'re|ist|bin|sind|lebt|est|suis|es|soy|está|é|sou|"
    r"sigue)"
)
HAS: Final = (
    r"(?:has|have|having|got|suffer(?:s|ing)? from|lives? with|living with|diagnosed with|manag(?:es|ing)|with|"
    r"history of|hat|habe|leidet (?:an|unter)|ai?(?= (?:de|du|des|le|la|l'|une?)\b)|souffre (?:de|d')|"
    r"tiene|tengo|padece|sufre|tem|tenho|sofre)"
)
EATS: Final = (
    r"(?:eats?|eating|follow(?:s|ing)?|keeps?|needs?|prefers?|requires?|wants?|cooks?|does|isst|ernährt sich|mange|"
    r"come|segue|sigue)"
)
TAKES: Final = r"(?:takes?|taking|is on|uses?|using|prescribed|needs?|nimmt|nehme|prend|prends|toma|tomo)"
SOME: Final = r"(?:[\s-](?!(?:to|about|on|for|against|into|in|at|of|over|who)\b)[\w']+){0,4}?[\s'-]"
"""Up to four words in between: "a very bad"."""
QUITE: Final = (
    r"(?:(?:\w+ly|an?|now|still|also|both|very|quite|strict|lifelong|raw|(?:type|typ) [12i]+|currently|already|"
    r"not only|de|streng|strikt\w*|seit|eine?|une?|très|strictement|muy|una?|estricta?mente|muito|uma?|as)"
    r"[\s-]){0,4}"
)
"""Words that may stand before a diet or an illness without changing its meaning."""
NOT_BEFORE_A_THING: Final = (
    r"(?!'?s?[\s-](?:\w+[\s-])?(?:apps?|patients?|research\w*|clinics?|charity|foundation|ward|awareness|study|"
    r"startup|nurse|specialist|software|products?|projects?|restaurants?|caf[eé]s?|chefs?|cooks?|bak\w+|blog\w*|"
    r"shops?|brands?|compan\w+|leather|shoes|cosmetics|society|tests?|data\w*|trials?|drugs?|market|\w*books?|"
    r"kochbuch|board|committee|team|club)\b)"
)
"""Whoever works on an app about asthma need not have it."""
NOT_A_FOOD: Final = (
    r"(?:enough|out|at|in|on|before|after|until|while|much|well|alone|breakfast|lunch|dinner|late|early|with|their|"
    r"outside|often|regularly|when|and drive|genug|viel|allein|zu hause|assez|beaucoup|mucho|solo|fora)\b"
)
"""Words after "does not eat" that name no food."""

DENIED: Final = (
    r"\b(?:not(?! only)|no|never|nor|neither|none|without|\w+n't|denies|no longer|used to|formerly|previously|once|"
    r"was|were|had|ex|outgrew|outgrown|recovered|cured|stopped|quit|gave up|nicht|keine?\w?|nie|war|hatte|früher|"
    r"pas|jamais|aucune?|était|avait|n'(?:est|a)|nunca|era|tenía|ya no|sin|não|nao|nem|sem|tinha)\b"
)
OVER: Final = (
    r"\b(?:as a (?:child|kid|teenager)|in the past|when (?:they|he|she) w(?:as|ere)|years ago|als kind)\b"
)
HOLDS_STILL: Final = (
    r"\b(?:was|were|got) (?=(?:\w+ly |just )?(?:diagnosed|prescribed|told))|"
    r"\bhad (?=an? (?:\w+ ){0,2}?(?:allergic|anaphylactic))"
)
"""Phrases in a past tense that still hold: somebody who was diagnosed with asthma has it."""
ANIMALS: Final = (
    r"\b(?:dogs?|pupp(?:y|ies)|cats?|kittens?|pets?|horses?|pony|rabbits?|hamsters?|guinea pigs?|parrots?|birds?|"
    r"hunde?|hündin|katzen?|kater|pferde?|chiens?|chienne|chats?|chatte|perr[oa]s?|gat[oa]s?|cachorr[oa]s?|cães|"
    r"cão)\b"
)
CLAUSE_ENDS: Final = (
    r"[.;!\n]+\s*|,?\s(?:but|aber|pero|mas)\s|,\smais\s|"
    r"(?:,|,?\s(?:and|und|et|y|e))\s(?=(?:also |now |still |then )?(?:"
    r"is|are|was|were|has|have|had|does|do|used|cannot|can't|never|no longer|likes?|loves?|eats?|drinks?|takes?|"
    r"lives?|works?|wants?|follows?|keeps?|needs?|prefers?|avoids?|they|he|she|their|his|her|allergic|"
    r"ist|war|hat|hatte|isst|trinkt|nimmt|est|était|avait|mange|ne|prend|es|era|tiene|tenía|no|come|toma|é|tem|"
    r"tinha|não)\b)"
)
"""Where another statement begins; not within a list of things."""

MEALS: Final = (
    r"\b(?:foods?|eat(?:s|ing|en)?|dinners?|lunch(?:es)?|breakfasts?|brunch|suppers?|snacks?|meals?|restaurants?|"
    r"recipes?|(?<!tim )cook(?:s|ed|ing)?|bak(?:e|es|ed|ing)|dish(?:es)?|ingredients?|take-?out|takeaway|"
    r"grocer(?:y|ies)|supermarket|cakes?|desserts?|sweets|chocolates?|cuisine|barbecue|bbq|picnic|potluck|buffet|"
    r"cater(?:ed|er|ing)|caf[eé]s?|bistro|gift (?:basket|hamper)s?|hamper|diet(?:s|ary)?|nutrition\w*|hungry|pizzas?|"
    r"pasta|sushi|curry|steaks?|burgers?|sandwich(?:es)?|soups?|salads?|noodles|cheese|seafood|"
    r"peanut butter|nuts|ice cream|"
    r"menu(?! ?(?:bar|item|button|entry|option))|"
    r"essen|isst|iss?t|gericht(?:e|en)?|abendessen|mittagessen|frühstück\w*|rezepte?n?|koch(?:en|e|t)|backen|kuchen|"
    r"lebensmittel\w*|speisen?|snack|hunger|"
    r"manger?|mange|repas|dîner|déjeuner|recettes?|cuisin(?:e|er)|plats?|gâteaux?|nourriture|goûter|"
    r"comer|comida|cena|cenar|almuerzo|desayuno|restaurantes?|recetas?|cocinar?|pastel|merienda|"
    r"jantar|almoço|café da manhã|pequeno-almoço|receitas?|cozinhar?|bolo|lanche|refeição)\b"
)
BODY: Final = (
    r"\b(?:sports?|exercis(?:e|es|ing)|work(?:ing)? ?outs?|gym|fitness|training plan|marathon|go(?:ing)? running|"
    r"for a run|running (?:plan|shoes|route|race)|jog(?:ging)?|hik(?:e|es|ing)|swim(?:ming)?|scuba|diving|ski(?:ing)?|"
    r"climb(?:ing)?|yoga|pilates|sauna|massage|"
    r"sport\w*|wandern|wanderung|schwimmen|laufen gehen|tauchen|klettern|"
    r"randonnée|nager|courir|plongée|escalade|deporte|nadar|correr|senderismo|bucear|esporte|desporto|academia|"
    r"ginásio|caminhada)\b"
)
EVERYTHING: Final = (
    r"\bwhat should (?:i|we|he|she|they|the user) avoid\s*\??$|"
    r"\b(?:trips?|travel\w*|vacations?|holidays?|flights?|itinerar(?:y|ies)|cruise|camping|safari|excursion|outing|"
    r"getaway|packing list|pack for|drinks?|drinking|wines?|beers?|cocktails?|smoothies?|bars?(?= (?:in|near|for)\b)|"
    r"medicines?|medications?|meds|pills?|painkillers?|antibiotics?|ibuprofen|aspirin|paracetamol|tylenol|vaccin\w+|"
    r"doctors?|dentist|physician|hospital|surgery|prescriptions?|pharmacy|symptoms?|fever|headaches?|sick|nausea|"
    r"therapy|remed(?:y|ies)|cough|the flu|supplements?|vitamins?|first aid|emergency|health\w*|medical\w*|allerg\w+|"
    r"intoleran\w+|unhealthy|be careful (?:about|of|with)|watch out for|"
    r"(?:safe|dangerous|risky) for (?:me|him|her|them|us)|"
    r"reise\w*|urlaub\w*|flug|trinken|getränke?|wein|medikamente?|arzt|ärztin|krank\w*|tabletten?|gesund\w*|"
    r"kopfschmerzen|fieber|"
    r"voyages?|voyager|vacances|boire|boissons?|vin|médicaments?|médecin|malade|santé|fièvre|"
    r"viajes?|viajar|vacaciones|beber|bebidas?|vino|medicamentos?|medicina|médico|enferm[oa]|salud|alérg\w+|alergias?|"
    r"viagem|viajar|férias|vinho|remédios?|doente|saúde)\b"
)
FORBIDS: Final = (
    r"^(?:please |always |also |but |and |you |bitte |s'il te plaît,? |por favor,? )?(?:"
    r"(?:do|must|may|should|shall|can|will)(?:n't| not|not)\b|dont\b|never\b|avoid\b|stop\b|"
    r"under no circumstances\b|no more\b|"
    r"keine[nmrs]?\b|nie\b|niemals\b|auf keinen fall\b|vermeide\b|"
    r"évite[rz]?\b|jamais\b|n'\w+ (?:pas|jamais)\b|ne (?:pas|jamais|\w+ (?:pas|jamais|plus))\b|"
    r"evit[ae]r?\b|nunca\b|jamás\b|não\b)"
)
"""How a rule begins that forbids something."""
