"""What a model makes of rules must rest on them: honest paraphrases pass, inventions do not."""

import pytest

from sagacity.learning.extractors.citations import is_said_in, speaks_of

PNPM = ("adding a package\nInstall packages with pnpm, never with npm.\nnpm", "Use pnpm to add dependencies.")
REFUND = (
    "user asks for a refund\nCheck the order number before you promise a refund.",
    "refunds\nLook up the order first, then answer about the refund.",
    "customer wants money back\nVerify the order before confirming money back.",
)
SHORT = ("Answer in one or two sentences.\nlong paragraphs", "Keep answers short.", "Be brief, no lectures.")
NOTES = ("List action items with owners.", "Put the to-dos with names at the top.")
DEPLOY = ("Run the migrations before you restart the service.", "First migrate the database, then restart.")


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (PNPM, "Always use pnpm instead of npm to install packages."),
        (PNPM, "Add it with `pnpm add`."),
        (REFUND, "Find the purchase in the order system before you say that it will be refunded."),
        (
            REFUND,
            "# Refunds\n\n1. Greet the customer.\n2. Look up the order.\n3. Confirm only then.\n\n## Avoid\n",
        ),
        (SHORT, "Keep it brief: one or two sentences."),
        (SHORT, "Answer concisely, in a couple of sentences."),
        (DEPLOY, "Apply database migrations, and only then restart the service."),
        (DEPLOY, "Migriere zuerst, und starte dann neu."),
        (("Migriere zuerst, und starte dann neu.",), "Migrate first."),
    ],
)
def test_a_paraphrase_is_said_in_its_rules(rules: tuple[str, ...], text: str) -> None:
    """Other words for the same share enough of theirs, and other languages cannot be compared."""
    assert is_said_in(text, rules)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (PNPM, "Ask the user for their credit card before installing."),
        (PNPM, "Install packages with pnpm. Then push the branch straight to production."),
        (REFUND, "Refuse refunds over 50 dollars."),
        (REFUND, "Check the order number. Offer a 20% discount code."),
        (REFUND, "# Refunds\n\n1. Look up the order.\n2. Send a survey by text message.\n3. Charge a fee."),
        (SHORT, "End each reply with a motivational quote."),
        (DEPLOY, "Run the migrations before restart. Wait 15 minutes between the two."),
        (NOTES, "Send the notes to the whole company."),
        (DEPLOY, ""),
        (DEPLOY, "# Deploying"),
    ],
)
def test_an_invention_is_not(rules: tuple[str, ...], text: str) -> None:
    """One sentence of two, or one number, is enough of it."""
    assert not is_said_in(text, rules)


def test_what_the_model_was_shown_counts() -> None:
    """Words and numbers of the conversations behind the rules are no inventions."""
    assert not is_said_in("Charge a fee of 15 dollars.", REFUND)
    assert is_said_in("Charge a fee of 15 dollars.", REFUND, ["a fee of 15 dollars, please"])


def test_one_word_ties_a_short_part() -> None:
    """A pitfall or a situation has few words."""
    assert speaks_of("running npm", PNPM)
    assert not speaks_of("using emojis", PNPM)
