"""
Publish a conversation, wait until it was learned from, and ask the memory.

    sagacity serve                    # in another terminal
    python examples/quickstart.py
"""

from sagacity.client import Sagacity

CONVERSATION = [
    {"role": "User", "content": "I moved to Lyon last month and I am vegetarian. Where can I eat tonight?"},
    {"role": "Assistant", "content": "The Brasserie du Parc is known for its steak. A menu is about $40."},
    {
        "role": "User",
        "content": "I don't eat meat. And from now on, please give prices in euros, not dollars.",
    },
    {"role": "Assistant", "content": "Sorry! Culture Crêpes has a vegetarian menu for about 20 euros."},
]


def main() -> None:
    """Show what is learned from four turns."""
    with Sagacity() as sagacity:
        # Durable when this returns. `force_extraction` learns at once; without it a few turns wait for more.
        published = sagacity.publish_interaction("ana", CONVERSATION, force_extraction=True)
        receipt = sagacity.wait_for_receipt(published.request_id)
        print(f"learned from {receipt.interactions} turns:")
        for memory in receipt.memories:
            print(f"  {memory.kind}: {memory.content}")

        # What the agent should know before it answers. A low threshold lets little-related facts in, best first.
        found = sagacity.search("suggest a place for lunch", user_id="ana", threshold=0.1)
        print("to know for the next answer:")
        for profile in found.profiles:
            print(f"  {profile.score:.2f}  {profile.content}")
        for playbook in found.user_playbooks:
            print(f"  {playbook.score:.2f}  {playbook.trigger}: {playbook.content}")


if __name__ == "__main__":
    main()
