"""What the user likes and can do."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    BACKWARD,
    END,
    HAVE_BEEN,
    PHRASE,
    POINTING,
    WE_ARE,
)
from sagacity.learning.rules.products import LANGUAGES, PRODUCTS

_ABSTRACT = (
    r"(?:the )?(?:idea|ideas|suggestions?|sound|look|thought|concept|way|feel|recommendations?|tips?|"
    r"advice|list|plan|option|options|approach|description|fact|result|help|information)\b"
)
_NOT_LASTING = (
    rf"(?:{POINTING}|{_ABSTRACT}|(?:some|my|our|an?)\s(?:idea|suggestion|look|sound)|learning more|knowing|"
    rf"hearing|seeing)"
)

TASTES: Final[tuple[Rule, ...]] = (
    rule(
        "prefers",
        rf"(?:i|we){ADVERB} (?:prefer|favou?r)\s(?P<what>{PHRASE})(?P<less>(?:,\s(?:not|rather than|"
        rf"over)\s{PHRASE})?)",
        "Prefers {what} {less}.",
        slot="prefers.{what}",
        confidence=0.9,
        refuse=rf"(?!to\s){POINTING}|to (?:see|use|go with|do|have|keep|try) (?:it|that|this|the)",
        example=("I prefer SMS for updates, not email.", "Prefers SMS for updates, not email."),
        counter="I prefer the second one.",
    ),
    rule(
        "would_rather",
        rf"i(?:'d| would){ADVERB} (?:always )?rather (?P<what>\w+ [\w\s-]{{1,40}}? than {PHRASE})",
        "Would rather {what}.",
        slot="prefers.{what}",
        confidence=0.75,
        example=("I'd rather read code than watch videos.", "Would rather read code than watch videos."),
        counter="I'd rather not.",
    ),
    rule(
        "favorite_is",
        rf"(?:my|our)(?: all-time| absolute| personal)? (?P<of>favou?rite (?:[\w-]+\s){{0,3}}?[\w-]+?)"
        rf"(?:'s|\s(?:is|are|has (?:always )?been))(?: \w+ly)?(?: so far)?\s(?P<what>{PHRASE})",
        "{of} is {what}.",
        slot="{of}",
        exclusive=True,
        confidence=0.9,
        refuse=rf"{BACKWARD}|(?:favou?rite\s)?(?:part|thing|one|ones)\b|when\b",
        example=("My favorite colour is dark green.", "Favorite colour is dark green."),
        counter="My favorite part is when it ends.",
    ),
    rule(
        "is_favorite",
        rf"(?P<what>(?!it\b|that\b|this\b|which\b|what\b|he\b|she\b|these\b|those\b|they\b|one\b|"
        rf"i\b)[\w'-]+(?:\s[\w'-]+){{0,3}}?)\s(?:is|are|has been|has always been|have been)(?: \w+ly| "
        rf"still)? (?:my|one of my)(?: all-time| absolute)? (?P<of>favou?rites?\s[\w-]+(?:\s[\w-]+){{0,2}}?\s?){END}",
        "{of} is {what}.",
        slot="{of}",
        exclusive=True,
        refuse=r"(?:the|my|your)\b|favou?rites?\s(?:part|thing|one|ones)\b",
        example=("Beef is honestly my favorite protein.", "Favorite protein is Beef."),
        counter="That is my favorite part.",
    ),
    rule(
        "likes_no_more",
        rf"(?:i|we){ADVERB} (?:(?:don't|do not)(?: really| even)? (?:like|love|enjoy|care for)\s(?P<what>{PHRASE})"
        rf"(?:(?<=\sanymore)|(?<=\sany\smore)|(?<=\sany\slonger))|no longer (?:like|love|enjoy|care "
        rf"for)\s(?P<more>{PHRASE}))",
        "No longer likes {what}{more}.",
        slot="taste.{what}{more}",
        exclusive=True,
        refuse=rf"(?!to\b){_NOT_LASTING}|to (?:be|say|admit|bother|ask|think)\b",
        example=("I don't love olives anymore.", "No longer likes olives."),
        counter="I don't love that one anymore.",
    ),
    rule(
        "dislikes",
        rf"(?:i|we){ADVERB} (?:don't|do not|never)(?: really| actually)? (?:like|enjoy|love|"
        rf"care for)\s(?P<what>{PHRASE})|i{ADVERB} (?:hate|dislike|can't stand|despise|detest|"
        rf"loathe)\s(?P<more>{PHRASE})|{AM}(?: really)? not (?:a|much of a)(?: big|"
        rf" huge)? fan of\s(?P<fan>{PHRASE})",
        "Dislikes {what}{more}{fan}.",
        slot="taste.{what}{more}{fan}",
        exclusive=True,
        refuse=rf"(?!to\b){_NOT_LASTING}|to (?:be|say|admit|bother|ask|think)\b",
        example=("I don't like mushrooms.", "Dislikes mushrooms."),
        counter="I don't like that one.",
    ),
    rule(
        "kind_of_person",
        rf"{AM}{ADVERB} (?:(?:more of )?an?) (?P<what>(?!happy\b|good\b|bad\b|nice\b|busy\b|terrible\b|"
        rf"new\b|first\b|lucky\b|great\b|nice\b|big\b|family\b|proud\b|funny\b|old\b|poor\b|tough\b|"
        rf"regular\b|idea\b|private\b)[\w-]+ (?:person|lover|addict|drinker|eater|nerd|enthusiast|"
        rf"aficionado|geek|buff|fanatic|junkie|snob|hater|supporter|guy|gal|girl|owner|user|hoarder|"
        rf"collector|player|gamer|reader|hiker|climber|sleeper))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|who|"
        rf"than|rather|through|since|at heart|myself)\b)",
        "Is a {what}.",
        slot="taste.{what}",
        confidence=0.8,
        example=("I'm more of a tea person.", "Is a tea person."),
        counter="I'm a busy person.",
    ),
    rule(
        "likes",
        rf"(?:i|we){ADVERB} (?:(?:like|love|enjoy|adore)\s(?P<what>{PHRASE})|(?:was|"
        rf"am) obsessed with\s(?P<obsession>{PHRASE}))|{AM}{ADVERB}(?: an?)?(?: big| huge| avid|"
        rf" lifelong)? (?:fan of|into|obsessed with|fond of|passionate about)\s(?P<fan>{PHRASE})",
        "Likes {what}{fan}{obsession}.",
        slot="taste.{what}{fan}{obsession}",
        exclusive=True,
        confidence=0.8,
        refuse=rf"(?!to\s(?:cook|bake|read|run|swim|hike|travel|play|paint|draw|dance|sing|write|garden|"
        rf"walk|eat|drink|watch|listen|collect|make|ride|cycle|camp|fish|ski|surf|knit|sew|shop|"
        rf"work)){_NOT_LASTING}|also\b",
        example=(
            "I love walking around the Mission district for burritos.",
            "Likes walking around the Mission district for burritos.",
        ),
        counter="I love the idea of a garden party.",
    ),
)

SKILLS: Final[tuple[Rule, ...]] = (
    rule(
        "knows_some",
        rf"i{ADVERB} (?:only |just )?know\s(?P<what>(?:a bit of|a little(?: bit of)?|some|basic|very little|"
        rf"the basics of|"
        rf"enough)\s(?:(?:{LANGUAGES})|(?:{PRODUCTS})|(?-i:[A-Z])[\w+#]+)(?:(?:,| and|,? but)\s(?:(?:some|no|not|"
        rf"a bit "
        rf"of)\s)?(?:(?:{LANGUAGES})|(?:{PRODUCTS})|(?-i:[A-Z])[\w+#]+)){{0,3}}){END}",
        "Knows {what}.",
        slot="skill.knows.{what}",
        example=("I know a bit of SQL but no Python.", "Knows a bit of SQL but no Python."),
        counter="I know a bit of it.",
    ),
    rule(
        "struggles",
        rf"i{ADVERB}(?: always| often)? (?P<verb>struggle|have a hard time) (?P<what>with\s"
        rf"(?!how\b|what\b|getting\b|an?\b|understanding\b){PHRASE}){END}",
        "{verb} {what}.",
        slot="skill.weak.{what}",
        confidence=0.75,
        refuse=rf"with (?:{POINTING}|my\b|some\b|choosing\b|deciding\b|finding\b)",
        example=("I struggle with small talk.", "Struggles with small talk."),
        counter="I struggle with this one.",
    ),
    rule(
        "is_not_very",
        rf"{AM}{ADVERB} not (?:(?:very|really|that|super|particularly|so|too|at all|the most) )+(?P<what>technical|"
        rf"tech[- ]savvy|"
        rf"handy|sporty|athletic|creative|artistic|organi[sz]ed|patient|religious|flexible|social|outgoing|musical|"
        rf"adventurous|"
        rf"picky|good (?:at|with)\s(?!it\b|this\b|that\b){PHRASE}){END}",
        "Is not very {what}.",
        slot="taste.is_not.{what}",
        example=("I'm not very technical.", "Is not very technical."),
        counter="I'm not very happy.",
    ),
    rule(
        "tends_to",
        rf"i{ADVERB}(?: always| often)? tend to\s(?P<what>(?!be\s(?:right|wrong|late to)|agree\b|think\b|believe\b|"
        rf"disagree\b|use\s(?:it|that|this)){PHRASE})",
        "Tends to {what}.",
        slot="habit.tends.{what}",
        confidence=0.75,
        refuse=r".*\b(?:it|that|this|them|you)\b",
        example=("I tend to procrastinate.", "Tends to procrastinate."),
        counter="I tend to agree with it.",
    ),
    rule(
        "looks_in",
        rf"i{ADVERB} (?P<verb>look)\s(?P<what>(?:terrible|awful|bad|horrible|washed out|pale|silly|good|great|best)"
        rf"\sin\s"
        rf"(?!it\b|that\b|this\b|these\b|the (?:photo|picture|mirror)|my\b){PHRASE})",
        "{verb} {what}.",
        slot="taste.wears.{what}",
        confidence=0.75,
        example=("I look terrible in beige.", "Looks terrible in beige."),
        counter="I look terrible in this.",
    ),
    rule(
        "fan_of",
        rf"{AM}{ADVERB}(?: an?)?\s(?:(?:big|huge|massive|lifelong|die-?hard|avid|long-?time) "
        rf")*(?P<fan>(?!big\b|huge\b|such\b|not\b)[\w&'.-]+(?:\s[\w&'.-]+){{0,2}}?) (?:fan|fanatic|"
        rf"supporter|stan)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|since|too)\b)",
        "Likes {fan}.",
        slot="taste.{fan}",
        exclusive=True,
        refuse=r"(?:no|a|an|the|your|great|new|real|true|bigger|biggest|ceiling|desk)\b",
        example=("I'm a huge Radiohead fan.", "Likes Radiohead."),
        counter="I'm a big fan.",
    ),
    rule(
        "fan_for_long",
        rf"(?:{HAVE_BEEN}{ADVERB} (?:an? )?(?:big |huge )?(?:fan of|into|obsessed with|hooked on|listening "
        rf"to(?: a lot of| lots of)?|playing a lot of|getting (?:really )?into|loving)|i{ADVERB} (?:got|"
        rf"have gotten)(?: really)? into|{AM}{ADVERB} (?:a sucker for|crazy about|hooked on|addicted to|"
        rf"partial to|big on|getting into|really into))\s(?P<what>{PHRASE})",
        "Likes {what}.",
        slot="taste.{what}",
        exclusive=True,
        confidence=0.75,
        refuse=(
            rf"{_NOT_LASTING}|(?:an?|my|our|music|podcasts|audiobooks|some|new)\b(?!\slot)|trouble|debt|"
            rf"shape|college|bed\b|(?:law|med|grad) school|(?:\w+ )?accident|recordings|"
            r".*\bfor (?:about|a|over|\w+ (?:days|weeks|months|years))\b"
        ),
        example=("I've been listening to a lot of Billie Eilish lately.", "Likes Billie Eilish."),
        counter="I've been listening to it.",
    ),
    rule(
        "not_a_person",
        rf"{AM}{ADVERB} not (?:really )?(?:much of )?(?P<what>an? [\w-]+ (?:person|drinker|eater|reader|"
        rf"cook|guy|girl|lover|sleeper|gamer|swimmer|dancer))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|at all)\b)",
        "Is not {what}.",
        slot="taste.not.{what}",
        refuse=r"an? (?:bad|good|nice|happy|patient|new|great|big|rich|old|young)\b",
        example=("I'm not a morning person.", "Is not a morning person."),
        counter="I'm not a bad person.",
    ),
    rule(
        "not_into",
        rf"{AM}{ADVERB} not (?:really |that |very |so |particularly |big )*(?:into|fond of|keen on|on|crazy "
        rf"about|a fan of)\s(?P<what>(?!board\b|top\b|it\b|track\b|point\b){PHRASE})",
        "Does not like {what}.",
        slot="taste.{what}",
        exclusive=True,
        example=("I'm not into sports.", "Does not like sports."),
        counter="I'm not on board with it.",
        refuse=_NOT_LASTING,
    ),
    rule(
        "which_i_love",
        rf"(?P<product>(?-i:[A-Z])[\w'&-]*(?:\s(?:of\s|the\s|and\s)?(?-i:[A-Z0-9])[\w'&-]*){{0,4}}),? which "
        rf"(?:i|we){ADVERB} (?P<verb>use|love|enjoy|like|own|play|watch|read|prefer|hate)(?=\s*(?:[,.;!?)]|"
        rf"$)|\s(?:to|for|and|but|on|in|every|at|a lot|very much)\b)",
        "{verb} {product}.",
        slot="taste.{product}",
        confidence=0.75,
        anywhere=True,
        example=("I read Architectural Digest, which I love.", "Loves Architectural Digest."),
        counter="I read a book which I love.",
    ),
    rule(
        "cannot_live_without",
        rf"i{ADVERB} (?:can't|cannot|couldn't) (?:live|function|start my day|work|survive) "
        rf"without\s(?P<what>{PHRASE})|i{ADVERB} have a (?:soft spot|weakness|thing|passion) "
        rf"for\s(?P<more>{PHRASE})",
        "Likes {what}{more}.",
        slot="taste.{what}{more}",
        exclusive=True,
        refuse=_NOT_LASTING,
        example=("I can't live without coffee.", "Likes coffee."),
        counter="I can't work without it.",
    ),
    rule(
        "always_liked",
        rf"(?:i've|i have) (?P<how>always|never) (?P<did>loved|liked|enjoyed|hated|been good at|been bad at|"
        rf"been into|been afraid of|wanted to (?:be|learn|visit|go to|live in|become|try|play|write|run|see|"
        rf"own))\s(?P<what>{PHRASE})",
        "Has {how} {did} {what}.",
        slot="taste.{what}",
        exclusive=True,
        confidence=0.8,
        refuse=_NOT_LASTING,
        example=("I've always wanted to learn Italian.", "Has always wanted to learn Italian."),
        counter="I've always liked it.",
    ),
    rule(
        "skilled",
        rf"{AM}{ADVERB} (?P<how>good|great|bad|terrible|awful|decent|proficient|comfortable|experienced|"
        rf"fluent|advanced|well[- ]versed|an expert|certified|trained) (?P<often>at|in|"
        rf"with)\s(?P<what>(?!math here){PHRASE})",
        "Is {how} {often} {what}.",
        slot="skill.{what}",
        exclusive=True,
        confidence=0.75,
        refuse=_NOT_LASTING + r"|(?:time|moment|least|the|\w+day)\b",
        example=("I'm terrible at math.", "Is terrible at math."),
        counter="I'm good with that.",
    ),
    rule(
        "new_to",
        rf"{WE_ARE}{ADVERB} (?:new to|a (?:complete |total |relative )?(?:beginner|newbie|novice)(?: in| at|"
        rf" with| to)|not (?:very |too |that |really )?(?:familiar|experienced) with)\s(?P<what>{PHRASE})",
        "Is new to {what}.",
        slot="skill.{what}",
        exclusive=True,
        refuse=POINTING,
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I'm pretty new to Kubernetes.", "Is new to Kubernetes."),
        counter="I'm new to this.",
    ),
    rule(
        "self_taught",
        rf"{AM}{ADVERB} self[- ]taught{END}",
        "Is self-taught.",
        slot="skill.origin",
        example=("I'm self-taught - mostly learned Python from videos.", "Is self-taught."),
        counter="Is it self-taught?",
    ),
    rule(
        "first_time",
        rf"(?:(?:this|it)(?:'s| is|'ll be) )?my (?:very )?first time (?P<what>(?!doing|using|trying|with|"
        rf"here|hearing|seeing)\w+ing\s[^,;:!?()\"\n]{{3,80}}?){END}",
        "Is new to {what}.",
        slot="skill.{what}",
        exclusive=True,
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.75,
        example=("And this is my first time building a web service.", "Is new to building a web service."),
        counter="Is this your first time building it?",
    ),
    rule(
        "learned_from",
        rf"(?:i{ADVERB} )?(?:mostly )?learned (?P<what>(?:to code|programming|\w+) from\s{PHRASE})",
        "Learned {what}.",
        slot="skill.origin",
        refuse=r"(?:it|that|this|much|more|a)\b",
        example=("I learned to code from YouTube tutorials.", "Learned to code from YouTube tutorials."),
        counter="I learned a lot from you.",
    ),
    rule(
        "years_of",
        rf"(?:{HAVE_BEEN}(?: \w+ly)? (?P<what>\w+ing\b(?!\s(?:it|that|this|these|them|about|"
        rf"of)\b)[^,;:!?()\"\n]{{0,70}}?)\sfor\s(?P<span>(?:about |over |almost |nearly |around |"
        rf"more than |the (?:past|last) )?(?!the\b|this\b)[\w-]+(?: few| couple of)? (?:years?|decades?|"
        rf"months?))\b|i have\s(?P<years>(?:about |over )?\w+\+? years) of experience (?P<field>(?:in|with|"
        rf"as) {PHRASE}))",
        "Has been {what} for {span}{years} {field}.",
        slot="experience.{what}{field}",
        refuse=r"(?:slacking|tracking|thinking|wondering|meaning|looking|trying|having|feeling|getting|"
        r"hearing|waiting|dealing)\b",
        example=(
            "I've been writing backend code for 10 years and I like it.",
            "Has been writing backend code for 10 years.",
        ),
        counter="I've been thinking about it for 2 years.",
    ),
    rule(
        "learning",
        rf"{AM}{ADVERB} (?:learning(?: how)?|teaching myself|studying|trying to learn)\s(?P<what>{PHRASE})",
        "Is learning {what}.",
        slot="learning.{what}",
        time_to_live=TimeToLive.ONE_QUARTER,
        refuse=rf"(?!to\s\w){POINTING}|more\b|about\b|a lot|hard\b",
        example=("I'm learning Rust in the evenings.", "Is learning Rust in the evenings."),
        counter="I'm still learning and it helps.",
    ),
)
