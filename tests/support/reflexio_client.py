"""What the published client is to read back: users' turns, and what is learned from them or written of them."""

ADAS_TURNS = [
    "I work as a marine biologist.",
    "I am allergic to peanuts.",
    "No, please always answer in kilometres, not in miles.",
    "Nice to meet you, Ada. The swim was 3 miles.",
    "My name is Ada Marsh and I live in Lisbon.",
]
ERINS_PROFILES = ["Lives in Oslo.", "Plays the cello."]
FRENCH = [
    ["erin", "Always answer in French, not in English."],
    ["finn", "Always answer in French, not in Italian."],
]
BOBS_TURN = {
    "user_id": "bob",
    "role": "Agent",
    "content": "Your invoice is open.",
    "shadow_content": "Here is the invoice.",
    "expert_content": "Invoice 17 is open since May.",
    "user_action": "click",
    "user_action_description": "opened the invoice page",
    "interacted_image_url": "https://example.org/invoice.png",
    "tools_used": [{"tool_name": "find_invoice", "tool_data": {"number": 17}}],
}
BOBS_PLAYBOOK = {
    "user_playbook_id": 0,
    "user_id": "bob",
    "agent_version": "v1",
    "request_id": "r-1",
    "playbook_name": "invoices",
    "created_at": 0,
    "content": "State the invoice number first.",
    "trigger": "When asked about an invoice",
    "rationale": "Bob files by number.",
    "blocking_issue": {"kind": "missing_tool", "details": "no export"},
    "status": None,
    "source": None,
    "source_interaction_ids": [],
}
UPGRADED = {
    "success": True,
    "profiles_archived": 2,
    "profiles_promoted": 2,
    "profiles_deleted": 0,
    "message": "2 promoted, 2 archived, 0 formerly archived deleted",
}
BOBS_PROFILES = [
    "Collects enamel kettles.",
    "Keeps three hens.",
    "Plays the bassoon.",
    "Rides a cargo bicycle.",
    "Speaks Portuguese.",
]
ADAS_PROFILES = [
    "Is allergic to peanuts.",
    "Lives in Lisbon.",
    "Name is Ada Marsh.",
    "Works as a marine biologist.",
]
