"""What the user likes, can do and works with."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, BACKWARD, END, HAVE_BEEN, PHRASE, POINTING, WE_ARE

_ABSTRACT = (
    r"(?:the )?(?:idea|ideas|suggestions?|sound|look|thought|concept|way|feel|recommendations?|tips?|"
    r"advice|list|plan|option|options|approach|description|fact|result|help|information)\b"
)
_NOT_LASTING = (
    rf"(?:{POINTING}|{_ABSTRACT}|(?:some|my|our|an?)\s(?:idea|suggestion|look|sound)|learning more|knowing|"
    rf"hearing|seeing)"
)
_LANGUAGES = (
    r"python|javascript|typescript|java|kotlin|swift|rust|go|golang|c\+\+|c#|ruby|php|scala|haskell|elixir|"
    r"clojure|"
    r"julia|matlab|perl|dart|lua|zig|ocaml|cobol|fortran|sql|react|vue|svelte|django|flask"
)
_PRODUCTS = (
    r"firefox|chrome|safari|brave|edge|slack|notion|obsidian|evernote|todoist|trello|jira|asana|linear|figma|"
    r"photoshop|"
    r"lightroom|excel|google sheets|google docs|word|outlook|gmail|protonmail|whatsapp|signal|telegram|"
    r"discord|"
    r"zoom|teams|"
    r"postgres|postgresql|mysql|sqlite|mongodb|redis|kafka|docker|kubernetes|terraform|ansible|git|github|"
    r"gitlab|jenkins|"
    r"tmux|zsh|fish|bash|alacritty|kitty|wezterm|jupyter|pandas|polars|pytorch|tensorflow|fastapi|rails|"
    r"laravel|"
    r"spring|"
    r"next\.js|tailwind|aws|azure|gcp|vercel|netlify|heroku|cloudflare|spotify|netflix|strava|duolingo|"
    r"alexa|siri"
)
_MANAGERS = r"pnpm|npm|yarn|bun|pip|poetry|uv|conda|cargo|maven|gradle"
_EDITORS = r"vim|neovim|emacs|vs ?code|visual studio code|pycharm|intellij|sublime text|zed|cursor"

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
        rf"still)? (?:my|one of my)(?: all-time|"
        rf" absolute)? (?P<of>favou?rites?\s(?:[\w-]+\s?){{1,3}}?){END}",
        "{of} is {what}.",
        slot="{of}",
        exclusive=True,
        refuse=r"(?:the|my|your)\b|favou?rites?\s(?:part|thing|one|ones)\b",
        example=("Beef is honestly my favorite protein.", "Favorite protein is Beef."),
        counter="That is my favorite part.",
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
        rf"new\b|first\b|"
        rf"lucky\b|great\b|nice\b|big\b|family\b|proud\b|funny\b|old\b|poor\b|tough\b|regular\b|idea\b|"
        rf"private\b)[\w-]+ (?:person|lover|"
        rf"addict|drinker|eater|nerd|enthusiast|aficionado|geek|buff|fanatic|junkie|snob|hater|supporter|"
        rf"guy|gal|girl|"
        rf"owner|user|hoarder|collector|player|gamer|reader|hiker|climber|sleeper))(?=\s*(?:[,.;!)]|$)|"
        rf"\s(?:and|but|so|who|than|rather|through|since|at heart|myself)\b)",
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
        "fan_of",
        rf"{AM}{ADVERB}(?: an?)?\s(?:(?:big|huge|massive|lifelong|die-?hard|diehard|avid|long-?time) "
        rf")*(?P<fan>(?!big\b|huge\b|such\b|not\b)"
        rf"[\w&'.-]+(?:\s[\w&'.-]+){{0,2}}?) (?:fan|fanatic|supporter|stan)(?=\s*(?:[,.;!)]|$)|\s(?:and|"
        rf"but|so|since|too)\b)",
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
        rf"to(?: a lot of| lots of)?|"
        rf"playing a lot of|getting (?:really )?into|loving)|i{ADVERB} (?:got|have gotten)(?: really)? into|"
        rf"{AM}{ADVERB} "
        rf"(?:a sucker for|crazy about|hooked on|addicted to|partial to|big on|getting into|really "
        rf"into))\s(?P<what>{PHRASE})",
        "Likes {what}.",
        slot="taste.{what}",
        exclusive=True,
        confidence=0.75,
        refuse=(
            rf"{_NOT_LASTING}|(?:an?|my|our|music|podcasts|audiobooks|some|new)\b(?!\slot)|trouble|debt|"
            rf"shape|college|bed\b|"
            rf"(?:law|med|grad) school|(?:\w+ )?accident|recordings|"
            r".*\bfor (?:about|a|over|\w+ (?:days|weeks|months|years))\b"
        ),
        example=("I've been listening to a lot of Billie Eilish lately.", "Likes Billie Eilish."),
        counter="I've been listening to it.",
    ),
    rule(
        "not_into",
        rf"{AM}{ADVERB} not (?:really |that |very |so |particularly |big )*(?:into|fond of|keen on|on|crazy "
        rf"about|a fan of)\s"
        rf"(?P<what>(?!board\b|top\b|it\b|track\b|point\b){PHRASE})|{AM} not (?:really )?(?:much of )?an? "
        rf"(?P<person>[\w-]+ "
        rf"(?:person|drinker|eater|reader|cook|fan))(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so)\b)",
        "Does not like {what}{person}.",
        slot="taste.{what}{person}",
        exclusive=True,
        example=("I'm not into sports.", "Does not like sports."),
        counter="I'm not on board with it.",
        refuse=_NOT_LASTING,
    ),
    rule(
        "which_i_love",
        rf"(?P<product>(?-i:[A-Z])[\w'&-]*(?:\s(?:of\s|the\s|and\s)?(?-i:[A-Z0-9])[\w'&-]*){{0,4}}),? which "
        rf"(?:i|we){ADVERB} "
        rf"(?P<verb>use|love|enjoy|like|own|play|watch|read|prefer|hate)(?=\s*(?:[,.;!?)]|$)|\s(?:to|for|and|"
        rf"but|on|in|every|at|a lot|"
        rf"very much)\b)",
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
        rf"without\s(?P<what>{PHRASE})|i{ADVERB} have "
        rf"a (?:soft spot|weakness|thing|passion) for\s(?P<more>{PHRASE})",
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
        rf"been into|been afraid of|"
        rf"wanted to (?:be|learn|visit|go to|live in|become|try|play|write|run|see|own))\s(?P<what>{PHRASE})",
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
        rf"fluent|advanced|well[- ]versed|an "
        rf"expert|certified|trained) (?P<often>at|in|with)\s(?P<what>(?!math here){PHRASE})",
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
        rf"{WE_ARE}{ADVERB} (?:new to|a (?:complete |total |relative )?(?:beginner|newbie|novice)(?: in|"
        rf" at| with| to)|not (?:very |too |that |really )?(?:familiar|"
        rf"experienced) with)\s(?P<what>{PHRASE})",
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

TOOLS: Final[tuple[Rule, ...]] = (
    rule(
        "package_manager",
        rf"(?:i|we){ADVERB} (?:use|switched to|moved to)\s(?P<product>{_MANAGERS})\b(?:(?: \w+){{0,4}}?,?"
        rf"(?: by the way)?[,\s\u2013\u2014-]{{1,4}}not (?P<other>{_MANAGERS})\b)?",
        "Uses {product} as package manager.",
        slot="tool.package_manager",
        exclusive=True,
        confidence=0.95,
        relation="uses",
        example=("We use pnpm as our package manager.", "Uses pnpm as package manager."),
        counter="Should we use pnpm?",
    ),
    rule(
        "package_manager_named",
        rf"\b(?P<product>{_MANAGERS}) as (?:our|my) package manager\b",
        "Uses {product} as package manager.",
        slot="tool.package_manager",
        exclusive=True,
        confidence=0.95,
        relation="uses",
        anywhere=True,
        example=("We use TypeScript with pnpm as our package manager.", "Uses pnpm as package manager."),
        counter="Should I pick pnpm as my package manager?",
    ),
    rule(
        "editor",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?:use|switched to|moved to|code in|write code in|edit in|"
        rf"live in)\s(?P<product>{_EDITORS})\b",
        "Uses {product} as editor.",
        slot="tool.editor",
        exclusive=True,
        relation="uses",
        example=("I switched to Neovim last year.", "Uses Neovim as editor."),
        counter="Should I use vim?",
    ),
    rule(
        "system",
        rf"(?:{AM}{ADVERB} (?:on|using|running)|i{ADVERB} (?:use|run|work on|switched "
        rf"to))\s(?P<product>(?:an? |"
        rf"my )?(?:"
        rf"macbook(?: pro| air)?|mac|macos|windows(?: 1[01])?|linux|ubuntu|debian|fedora|arch(?: linux)?|"
        rf"nixos|"
        rf"linux mint|"
        rf"chromebook|iphone|android|pixel phone|windows pc|wsl2?))\b(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|"
        rf"btw|at|"
        rf"for|with|as)\b)",
        "Uses {product}.",
        slot="tool.system.{product}",
        relation="uses",
        example=("I'm on Ubuntu, by the way.", "Uses Ubuntu."),
        counter="I'm on fire.",
    ),
    rule(
        "mode",
        rf"(?:i|we){ADVERB} (?:always )?(?P<verb>use|prefer|like|love|want)\s(?P<what>(?:dark|light|night|"
        rf"vim|"
        rf"compact) mode"
        rf"(?:\s(?:everywhere|in all (?:my )?\w+|for everything|in\s{PHRASE}))?)(?=[\s,.;!)]|$)",
        "{verb} {what}.",
        slot="tool.display_mode",
        exclusive=True,
        example=("I use dark mode everywhere.", "Uses dark mode everywhere."),
        counter="Should I use dark mode?",
    ),
    rule(
        "codes_in",
        rf"(?:i|we){ADVERB} (?:mostly |mainly |usually )?(?P<verb>code|program|develop|write code|"
        rf"write everything|write)"
        rf"(?: mostly| mainly)? in\s(?P<what>(?:{_LANGUAGES})(?:(?:,| and|, "
        rf"and)\s(?:{_LANGUAGES}))*)(?![\w-])",
        "{verb} in {what}.",
        slot="tool.language",
        example=("I mostly code in Python.", "Codes in Python."),
        counter="Should I code in Python?",
    ),
    rule(
        "writes_language",
        rf"i{ADVERB} (?:mostly |mainly |usually )?(?P<verb>write|use|work with|know|"
        rf"prefer)\s(?P<what>(?:{_LANGUAGES})"
        rf"(?:(?:,| and|, and)\s(?:{_LANGUAGES}))*)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|btw|at work|daily|"
        rf"every day|because)\b)",
        "{verb} {what}.",
        slot="tool.language",
        example=("I mostly write Rust at work.", "Writes Rust."),
        counter="Should I use Rust?",
    ),
    rule(
        "uses_named",
        rf"(?:i|we){ADVERB} use\s(?P<what>(?:{_PRODUCTS})(?:(?:,| and|, and)\s(?:{_PRODUCTS}))*)"
        rf"(?P<for>(?:\s(?:for|as)\s{PHRASE})?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|at|every|daily|because|"
        rf"with)\b)",
        "Uses {what} {for}.",
        slot="tool.uses.{what}",
        confidence=0.8,
        refuse=rf"(?:for|as)\s{POINTING}",
        example=("we use postgres and redis", "Uses postgres and redis."),
        counter="Should we use redis?",
    ),
    rule(
        "stack",
        rf"(?:our|my) (?P<of>(?:tech )?stack|backend|frontend|front end|back end|database|editor|ide|shell|"
        rf"browser|phone|laptop|"
        rf"car|bike|operating system|os|main language|keyboard layout|current car)\s(?P<how>is|runs on|"
        rf"is written in|uses)\s"
        rf"(?P<what>(?:an?\s|mostly\s|still\s)?(?:(?-i:[A-Z])|\d{{4}}\s|neovim|vim|python|postgres|django|"
        rf"react){PHRASE})",
        "{of} {how} {what}.",
        slot="tool.{of}",
        exclusive=True,
        refuse=r"(?:I|OK|Okay)\b",
        example=("Our backend is written in Go.", "Backend is written in Go."),
        counter="Our backend is slow.",
    ),
    rule(
        "deploys_on",
        rf"we{ADVERB} (?P<verb>deploy|host|run)(?: everything| all services| our \w+| it all)? (?P<how>on|to|"
        rf"with|in)\s"
        rf"(?P<what>(?-i:[A-Z]){PHRASE})",
        "{verb} {how} {what}.",
        slot="tool.deployment",
        example=("We deploy on Kubernetes.", "Deploys on Kubernetes."),
        counter="We run in circles.",
    ),
    rule(
        "runs_on",
        rf"we run\s(?P<what>(?:our|the)\s{PHRASE})|{WE_ARE}{ADVERB} (?:running)\s(?P<more>(?-i:[A-Z])"
        rf"\w+ {PHRASE})",
        "Runs {what}{more}.",
        slot="tool.{what}{more}",
        example=(
            "Before we go further though -- we run our CI/CD through GitHub Actions.",
            "Runs their CI/CD through GitHub Actions.",
        ),
        counter="We run out of time.",
    ),
    rule(
        "uses",
        rf"(?:(?:i|we){ADVERB} (?:use|rely on)|{HAVE_BEEN}{ADVERB} using|"
        rf"{WE_ARE}{ADVERB} using(?=\s(?-i:[A-Z])))\s(?P<what>(?:(?-i:[A-Z])|[\w' -]{{2,40}}\s(?:for|"
        rf"to)\s){PHRASE})",
        "Uses {what}.",
        slot="tool.uses.{what}",
        confidence=0.75,
        refuse=rf"{POINTING}|(?:my|an?)\s(?:own|combination|mix|lot)\b|"
        rf".*\sfor\s(?:[\w ]{{1,20}}\s)?(?:weeks?|months?|years?|while)$",
        example=("We use TypeScript for everything.", "Uses TypeScript for everything."),
        counter="I use it every day.",
    ),
)
