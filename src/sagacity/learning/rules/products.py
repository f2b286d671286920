"""Programs, services, programming languages and frameworks by name: what one uses, and no place to live in."""

import re
from typing import Final

LANGUAGES: Final = (
    r"python|javascript|typescript|java|kotlin|swift|rust|go|golang|c\+\+|c#|ruby|php|scala|haskell|elixir|"
    r"clojure|julia|matlab|perl|dart|lua|zig|ocaml|cobol|fortran|sql|react|vue|svelte|django|flask"
)
PRODUCTS: Final = (
    r"firefox|chrome|safari|brave|edge|slack|notion|obsidian|evernote|todoist|trello|jira|asana|linear|figma|"
    r"photoshop|lightroom|excel|google sheets|google docs|word|outlook|gmail|protonmail|whatsapp|signal|"
    r"telegram|discord|zoom|teams|postgres|postgresql|mysql|sqlite|mongodb|redis|kafka|docker|kubernetes|"
    r"terraform|ansible|git|github(?: actions)?|gitlab(?: ci)?|jenkins|tmux|zsh|fish|bash|alacritty|kitty|wezterm|"
    r"jupyter|pandas|"
    r"polars|pytorch|tensorflow|fastapi|rails|laravel|spring|next\.js|tailwind|aws|azure|gcp|vercel|netlify|"
    r"heroku|cloudflare|spotify|netflix|strava|duolingo|alexa|siri"
)
MANAGERS: Final = r"pnpm|npm|yarn|bun|pip|poetry|uv|conda|cargo|maven|gradle"
EDITORS: Final = r"vim|neovim|emacs|vs ?code|visual studio code|pycharm|intellij|sublime text|zed|cursor"
_PLACES_TOO: Final = (
    r"java|brave|edge|linear|fish|spring|swift|rust|go|julia|word|signal|safari|cursor|zoom|snowflake|"
    r"oracle|eclipse|bear|unity|vault|mint|element|matrix|chef|mistral|windows"
)
"""Names that a place may begin with as well: "Java, Indonesia", "Spring Hill"."""
_ONLY: Final = (
    rf"{LANGUAGES}|{PRODUCTS}|{MANAGERS}|{EDITORS}|c|r|\.net|dotnet|node(?:\.?js)?|deno|angular|nuxt|nest(?:js)?|"
    r"express(?:js)?|vite|webpack|rollup|symfony|wordpress|drupal|joomla|magento|shopify|wix|squarespace|webflow|"
    r"microsoft|office 365|ms \w+|google|apple music|icloud|onedrive|dropbox|sharepoint|confluence|bitbucket|"
    r"azure devops|circleci|travis(?: ci)?|woodpecker|drone|teamcity|subversion|svn|mercurial|perforce|"
    r"powerpoint|argo ?cd|buildkite|gitea|codeberg|sourcehut|nomad|podman|"
    r"openshift|k8s|k3s|eks|gke|ecs|lambda|fargate|hetzner|digital ?ocean|linode|fly\.io|supabase|firebase|"
    r"planetscale|neon db|dynamodb|cassandra|couchdb|cockroachdb|mariadb|elasticsearch|opensearch|clickhouse|duckdb|"
    r"bigquery|redshift|databricks|airflow|dagster|dbt|rabbitmq|nats|graphql|grpc|"
    r"prometheus|grafana|datadog|new relic|sentry|splunk|kibana|pulumi|opentofu|puppet|consul|istio|"
    r"linux|ubuntu|debian|fedora|arch|nixos|manjaro|centos|rocky linux|red hat|rhel|suse|opensuse|freebsd|"
    r"macos|ios|ipados|android|graphene ?os|chrome ?os|wsl2?|powershell|fish shell|nushell|"
    r"hubspot|zendesk|intercom|freshdesk|mailchimp|monday\.com|clickup|basecamp|airtable|miro|canva|"
    r"logseq|roam|onenote|apple notes|joplin|anki|zotero|latex|overleaf|markdown|"
    r"thunderbird|proton(?: ?mail)?|fastmail|hotmail|tuta|bitwarden|1password|lastpass|keepass\w*|"
    r"mattermost|mastodon|bluesky|twitter|facebook|instagram|tiktok|reddit|youtube|linkedin|twitch|"
    r"openai|chatgpt|claude|gemini|copilot|llama|hugging ?face|ollama|langchain|jax|keras|"
    r"tableau|power ?bi|looker|metabase|sap|netsuite|quickbooks|xero|datev|"
    r"unreal|godot|blender|adobe|premiere|ableton|"
    r"scrum|kanban|agile|microservices|monorepo|serverless|cloud"
)
PRODUCT: Final = rf"(?:(?!(?:{_PLACES_TOO})\b(?!-))(?:{_ONLY})(?![\w'+#]))"
"""The name of a product, or of a way to work, that is no place's."""
_STARTS: Final = re.compile(
    r"(?:(?:the|der|die|das|dem|den|la|le|les|el|los|las|l'|o|a)\s?\b)?"
    rf"(?:{PRODUCT}|(?:{_PLACES_TOO})(?=\Z|\s(?-i:[a-z])))",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(
    r"\.\w|\s(?:v\d[\w.]*|\d{1,3}(?:\.\d+)*\+?(?=\s*(?:[,;!?)]|\.(?!\w)|\Z)|\s(?:last|this|yesterday|today|recently|"
    r"because|for|so|but|from|in|at|with|now|and(?!\sa\b))\b))",
    re.IGNORECASE,
)
"""What follows the name of a product: "Postgres 17", "Next.js"; not "Leeds 3 years ago"."""


def is_product(text: str, start: int, end: int) -> bool:
    """Return whether what is between *start* and *end* in *text*, where a place is expected, is a product instead."""
    return bool(_STARTS.match(text[start:end]) or _VERSION.match(text, end))
