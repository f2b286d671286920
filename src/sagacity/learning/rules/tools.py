"""What the user works with: programs, languages, devices."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    END,
    HAVE_BEEN,
    PHRASE,
    POINTING,
    WE_ARE,
)
from sagacity.learning.rules.products import EDITORS, LANGUAGES, MANAGERS, PRODUCT, PRODUCTS

_MORE = (
    r"(?:(?:,\s|,?\sand\s)(?:(?:an?|my|the)\s(?:(?:old|new|company)\s)?)?(?!I\b)(?-i:[A-Z])[\w.+#-]*"
    r"(?:\s(?!I\b)(?-i:[A-Z0-9])[\w.+#-]*)?(?![\w']|\s(?:is|has|does|was|can)\b)){0,4}"
)
"""Other products of a list, which are known by their capitals: "and an old ThinkPad"."""

TOOLS: Final[tuple[Rule, ...]] = (
    rule(
        "package_manager",
        rf"(?:i|we){ADVERB} (?:use|switched to|moved to)\s(?P<product>{MANAGERS})\b(?:(?: \w+){{0,4}}?,?"
        rf"(?: by the way)?[,\s\u2013\u2014-]{{1,4}}not (?P<other>{MANAGERS})\b)?",
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
        rf"\b(?P<product>{MANAGERS}) as (?:our|my) package manager\b",
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
        rf"live in)\s(?P<product>{EDITORS})\b",
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
        rf"to))\s(?P<product>(?:an? |my )?(?:macbook(?: pro| air)?|mac|macos|windows(?: 1[01])?|linux|"
        rf"ubuntu|debian|fedora|arch(?: linux)?|nixos|linux mint|chromebook|iphone|android|pixel phone|"
        rf"windows pc|wsl2?)(?:\s(?:m[1-9](?:\s(?:pro|max|air))?|\d{{1,2}}(?:\.\d+)?))?)\b(?P<more>{_MORE})"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|btw|at|for|with|as|on)\b)",
        "Uses {product} {more}.",
        slot="tool.system.{product}",
        relation="uses",
        example=("I use Arch Linux and Neovim.", "Uses Arch Linux and Neovim."),
        counter="I'm on fire.",
    ),
    rule(
        "runs_version",
        rf"{WE_ARE}{ADVERB} (?:on|using|running)\s(?P<what>(?:{LANGUAGES}|{PRODUCTS})(?:\s(?:v(?:ersion )?)?\d[\w.]*)"
        rf"(?:(?:,| and|, and)\s(?:{LANGUAGES}|{PRODUCTS})(?:\s(?:v(?:ersion )?)?\d[\w.]*)?){{0,4}})"
        rf"(?=\s*(?:[,.;!)](?!\w)|$)|\s(?:and|but|so|in|with|at|on|locally|now|these days)\b)",
        "Uses {what}.",
        slot="tool.uses.{what}",
        confidence=0.8,
        example=("We're on Python 3.12 and Django 5.", "Uses Python 3.12 and Django 5."),
        counter="We're on page 3.",
    ),
    rule(
        "on_product_now",
        rf"(?:we're|we are){ADVERB} on\s(?P<what>{PRODUCT}(?:\s(?-i:[A-Z])\w+)?)\s(?:now|these days|instead)\b",
        "Uses {what}.",
        slot="tool.uses.{what}",
        confidence=0.8,
        example=("We no longer use Jenkins, we're on GitHub Actions now.", "Uses GitHub Actions."),
        counter="We're on it now.",
    ),
    rule(
        "mode",
        rf"(?:i|we){ADVERB} (?:always )?(?P<verb>use|prefer|like|love|want)\s(?P<what>(?:dark|light|night|"
        rf"vim|compact) mode(?:\s(?:everywhere|in all (?:my )?\w+|for everything|"
        rf"in\s{PHRASE}))?)(?=[\s,.;!)]|$)",
        "{verb} {what}.",
        slot="tool.display_mode",
        exclusive=True,
        example=("I use dark mode everywhere.", "Uses dark mode everywhere."),
        counter="Should I use dark mode?",
    ),
    rule(
        "codes_in",
        rf"(?:i|we){ADVERB} (?:mostly |mainly |usually )?(?P<verb>code|program|develop|write code|write "
        rf"everything|write)(?: mostly| mainly)? in\s(?P<what>(?:{LANGUAGES})(?:(?:,| and|, "
        rf"and)\s(?:{LANGUAGES}))*)(?![\w-])",
        "{verb} in {what}.",
        slot="tool.language",
        example=("I mostly code in Python.", "Codes in Python."),
        counter="Should I code in Python?",
    ),
    rule(
        "writes_language",
        rf"i{ADVERB} (?:mostly |mainly |usually )?(?P<verb>write|use|work with|know|"
        rf"prefer)\s(?P<what>(?:{LANGUAGES})(?:(?:,| and|, and)\s(?:{LANGUAGES}))*)(?=\s*(?:[,.;!)]|$)|"
        rf"\s(?:and|but|so|btw|at work|daily|every day|because)\b)",
        "{verb} {what}.",
        slot="tool.language",
        example=("I mostly write Rust at work.", "Writes Rust."),
        counter="Should I use Rust?",
    ),
    rule(
        "uses_named",
        rf"(?:i|we){ADVERB} use\s(?P<what>(?:{PRODUCTS})(?:(?:,| and|, and)\s(?:{PRODUCTS}))*)"
        rf"(?P<more>{_MORE})"
        rf"(?P<for>(?:\s(?:for|as)\s{PHRASE})?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|at|every|daily|because|"
        rf"with)\b)",
        "Uses {what} {more} {for}.",
        slot="tool.uses.{what}",
        confidence=0.8,
        refuse=rf"(?:for|as)\s{POINTING}",
        example=("we use postgres and redis", "Uses postgres and redis."),
        counter="Should we use redis?",
    ),
    rule(
        "moved_to_product",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?P<did>moved|migrated)(?: over| back)?"
        rf"(?P<more>(?: everything| (?:our|my) [\w-]+)?(?: "
        rf"from\s(?!scratch\b)[\w.+#-]+(?:\s[\w.+#-]+){{0,2}}?)?)\sto\s(?P<what>{PRODUCT}"
        rf"(?:\s(?-i:[A-Z0-9])[\w+#-]*(?:\.\d+)*){{0,2}})(?=[\s,.;!)]|$)",
        "{did} {more} to {what}.",
        slot="switched.{what}",
        confidence=0.8,
        example=(
            "We moved from Jenkins to GitHub Actions last week.",
            "Moved from Jenkins to GitHub Actions.",
        ),
        counter="We moved from Bern to Basel last week.",
    ),
    rule(
        "stack",
        rf"(?:our|my) (?P<of>(?:tech )?stack|backend|frontend|front end|back end|api|app|site|website|service|team|"
        rf"company|"
        rf"database|editor|ide|shell|"
        rf"browser|phone|laptop|car|bike|operating system|os|main language|keyboard layout|current "
        rf"car)\s(?P<how>is|runs on|is written in|uses)\s(?P<what>(?:an?\s|mostly\s|still\s)?(?:(?-i:[A-Z])|"
        rf"\d{{4}}\s|(?:{LANGUAGES}|{PRODUCTS}|{MANAGERS}|{EDITORS})(?![\w-]))(?:{PHRASE})?)",
        "{of} {how} {what}.",
        slot="tool.{of}",
        exclusive=True,
        refuse=r"(?:I|OK|Okay)\b",
        example=("Our backend is written in Go.", "Backend is written in Go."),
        counter="Our backend is slow.",
    ),
    rule(
        "measures_by",
        rf"(?:i|we){ADVERB} (?P<verb>use|think in|cook in|measure in|work in)\s(?P<what>(?:the )?(?:metric|imperial)"
        rf"(?: system| units)?|celsius|fahrenheit|(?:the )?24[- ]hour (?:clock|time|format))(?=\s*(?:[.,;!)]|$)|"
        rf"\s(?:and|but|so|not|here)\b)",
        "{verb} {what}.",
        slot="tool.measures.{what}",
        example=("I use the metric system.", "Uses the metric system."),
        counter="Should I use the metric system?",
    ),
    rule(
        "indents",
        rf"(?:i|we){ADVERB} (?P<verb>indent) (?P<how>with|by|using)\s"
        rf"(?P<what>(?:(?:\d|two|four|eight)\s)?(?:tabs|spaces))\b",
        "{verb} {how} {what}.",
        slot="tool.indentation",
        exclusive=True,
        example=("We indent with 4 spaces.", "Indents with 4 spaces."),
        counter="We indent with care.",
    ),
    rule(
        "writes_names_so",
        r"(?:our|my) (?P<of>api|codebase|code|database|columns|tables|variables|functions|json|endpoints|repo) "
        r"(?P<how>uses?|is in|are in)\s(?P<what>snake[_ ]?case|camel ?case|kebab[- ]?case|pascal ?case)\b",
        "{of} {how} {what}.",
        slot="tool.names.{of}",
        exclusive=True,
        example=("Our API uses snake_case.", "API uses snake_case."),
        counter="Our API uses a lot of memory.",
    ),
    rule(
        "deploys_on",
        rf"we{ADVERB} (?P<verb>deploy|host|run)(?: everything| all services| our \w+| it all)? (?P<how>on|"
        rf"to|with|in)\s(?P<what>(?-i:[A-Z]){PHRASE}|(?:(?:{PRODUCTS})(?![\w-])|[\w-]+\.(?:io|com|dev|app|net)\b)"
        rf"(?:\s{PHRASE})?)",
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
    rule(
        "can_do",
        rf"i can (?P<what>(?:play (?:the )?\w+|cook|sew|knit|code|drive(?: a (?:stick|manual))?|juggle|swim|"
        rf"ski|surf|sing|dance|type fast|read music|read (?-i:[A-Z])\w+|speak (?-i:[A-Z])\w+(?: and "
        rf"(?-i:[A-Z])\w+)?)(?:\s(?:well|fluently|a little|a bit|pretty well))?){END}",
        "Can {what}.",
        slot="skill.{what}",
        confidence=0.75,
        example=("I can play the banjo.", "Can play the banjo."),
        counter="I can play along.",
        refuse=r"play (?:along|it|that|with|around|this)\b",
    ),
    rule(
        "more_comfortable",
        rf"{AM}{ADVERB} (?P<what>(?:more|most|much more) (?:comfortable|familiar|experienced|fluent|at "
        rf"home|productive)\s(?:with|in|at|when)\s(?!it\b|this\b|that\b){PHRASE}){END}",
        "Is {what}.",
        slot="skill.more",
        confidence=0.75,
        refuse=r".*\b(?:it|this|that|these|those|first|second|one|option|idea)\b",
        example=(
            "I'm more comfortable with Spanish than English.",
            "Is more comfortable with Spanish than English.",
        ),
        counter="I'm more comfortable with it.",
    ),
    rule(
        "my_device_is",
        rf"my (?P<of>(?:work |old |new |current |main )?(?:phone|laptop|computer|tablet|camera|car|bike|"
        rf"watch|tv|console|guitar|printer|router|graphics card|gpu|cpu|monitor|keyboard|mouse|instrument|"
        rf"e-?reader|headphones|truck|motorcycle|scooter|sewing machine|espresso machine|oven|"
        rf"stove))\s(?:is|are)\s(?P<what>(?:an?\s)?(?:(?:\w+\s)?i(?-i:P)\w+|"
        rf"(?:[\w-]+\s){{0,2}}?(?-i:[A-Z])[\w-]+|(?-i:[A-Z])[\w-]+|\d{{4}}\s[\w-]+)"
        rf"(?:\s(?-i:[A-Z0-9])[\w.-]*){{0,4}}(?:\s(?:pro|max|mini|air|plus|ultra))?){END}",
        "{of} is {what}.",
        slot="tool.{of}",
        exclusive=True,
        refuse=r"(?:I|OK|Not|On|In)\b|.*\bin\b",
        example=("My phone is an iPhone 12.", "Phone is an iPhone 12."),
        counter="My phone is in Berlin.",
    ),
)
