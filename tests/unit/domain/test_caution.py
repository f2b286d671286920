"""Diets, allergies and illnesses are told from what only sounds like them, and so are the questions they matter to."""

import pytest

from sagacity.domain.caution import Caution, caution_of, cautions_touched, forbids

FOOD, HEALTH, BOTH = Caution.FOOD, Caution.HEALTH, Caution.FOOD_AND_HEALTH

WARNING = {
    "Is allergic to peanuts.": FOOD,
    "Has two cats and is allergic to peanuts.": FOOD,
    "Has a severe nut allergy.": FOOD,
    "Severe peanut allergy": FOOD,
    "Allergies: peanuts, shellfish": FOOD,
    "Has a daughter who is allergic to nuts.": FOOD,
    "The user is lactose intolerant.": FOOD,
    "Does not tolerate histamine.": FOOD,
    "Is sensitive to caffeine.": FOOD,
    "Has celiac disease.": FOOD,
    "Is vegan.": FOOD,
    "Is not only vegetarian but vegan.": FOOD,
    "Is vegetarian since 2019, was vegan before.": FOOD,
    "Their family is vegetarian.": FOOD,
    "Follows a keto diet.": FOOD,
    "Prefers vegetarian food.": FOOD,
    "Keeps kosher.": FOOD,
    "Avoids gluten.": FOOD,
    "Does not eat pork.": FOOD,
    "Doesn’t eat meat.": FOOD,
    "No longer eats meat.": FOOD,
    "Has not eaten meat in years.": FOOD,
    "Cannot have dairy.": FOOD,
    "Does not drink.": FOOD,
    "Does intermittent fasting.": FOOD,
    "Caffeine gives them headaches.": FOOD,
    "Is allergic to cats.": HEALTH,
    "Is afraid of dogs and allergic to bees.": HEALTH,
    "Had an allergic reaction to penicillin.": HEALTH,
    "Has hay fever.": HEALTH,
    "Was diagnosed with asthma in 2019.": HEALTH,
    "Has epilepsy.": HEALTH,
    "Health: chronic sinusitis.": HEALTH,
    "Has a bad knee.": HEALTH,
    "Takes warfarin every day.": HEALTH,
    "Takes 40mg of something new.": HEALTH,
    "Takes insulin once a day.": HEALTH,
    "Uses a wheelchair.": HEALTH,
    "Is having surgery on their knee next month.": HEALTH,
    "Is pregnant, due in July.": BOTH,
    "Has type 2 diabetes.": BOTH,
    "Is diabetic.": BOTH,
    "Health: high blood pressure.": BOTH,
    "Has asthma, migraines and diabetes.": BOTH,
    "Is allergic to nuts and has asthma.": BOTH,
    "Ist allergisch gegen Nüsse.": FOOD,
    "Hat eine Nussallergie.": FOOD,
    "Ist Vegetarierin.": FOOD,
    "Isst kein Schweinefleisch.": FOOD,
    "Hat Asthma.": HEALTH,
    "Nimmt Blutverdünner.": HEALTH,
    "Ist schwanger.": BOTH,
    "Gesundheit: Migräne.": HEALTH,
    "Santé : diabète.": BOTH,
    "Est allergique aux noix.": FOOD,
    "Ne mange pas de porc.": FOOD,
    "Est végétarienne.": FOOD,
    "Souffre d'asthme.": HEALTH,
    "Est diabétique.": BOTH,
    "Es alérgica a los cacahuetes.": FOOD,
    "No come carne.": FOOD,
    "Es vegetariano.": FOOD,
    "Tiene asma.": HEALTH,
    "Está embarazada.": BOTH,
    "É alérgico a amendoim.": FOOD,
    "Não come carne.": FOOD,
    "Tem asma.": HEALTH,
    "Tem diabetes.": BOTH,
}  # fmt: skip


@pytest.mark.parametrize("text", WARNING)
def test_a_caution_is_told(text: str) -> None:
    """Of the user or of people near them, in the words of the rules and of models."""
    assert caution_of(text) is WARNING[text]


@pytest.mark.parametrize(
    "text",
    [
        "Is not allergic to peanuts.",
        "Is not allergic to peanuts, milk or eggs.",
        "Has no allergies.",
        "No known allergies.",
        "Does not have diabetes, asthma or epilepsy.",
        "Is not vegetarian and eats meat.",
        "Is no longer vegan.",
        "Was vegetarian.",
        "Used to be vegan and lactose intolerant.",
        "Had asthma as a child.",
        "Outgrew their milk allergy.",
        "Is no longer pregnant.",
        "Ist nicht allergisch gegen Nüsse.",
        "War früher Vegetarierin.",
        "N'est pas allergique aux noix.",
        "Ya no es vegetariano.",
        "Não é alérgico a nada.",
        "Não é mais vegetariano.",
    ],
)
def test_what_is_denied_or_over_is_none(text: str) -> None:
    """It warns of nothing any more."""
    assert caution_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Has a dog named Biscuit who is allergic to chicken.",
        "The dog that had an allergic reaction to beef belongs to Ben.",
        "Their cat is diabetic.",
        "The dog does not eat chicken.",
        "Works on a diabetes app.",
        "Works at an asthma clinic.",
        "Runs a vegan restaurant.",
        "Is a vegan chef.",
        "Prefers vegan leather shoes.",
        "Is reading a book about depression, anxiety and cancer.",
        "Has a book about depression.",
        "Avoids meetings before ten.",
        "Does not eat enough.",
        "Does not eat out.",
        "Takes the bus every day.",
        "Takes photos every week.",
        "Eats meat almost every day.",
        "Likes cooking Thai food and hiking.",
        "Wants short answers.",
        "",
    ],
)
def test_what_only_sounds_like_one_is_none(text: str) -> None:
    """Animals, work, leather, habits."""
    assert caution_of(text) is None


@pytest.mark.parametrize(
    ("question", "touched"),
    [
        ("Which food should I avoid?", {FOOD, BOTH}),
        ("Plan a dinner for him", {FOOD, BOTH}),
        ("Any restaurant near the office?", {FOOD, BOTH}),
        ("a recipe with what is left", {FOOD, BOTH}),
        ("What should I cook tonight?", {FOOD, BOTH}),
        ("Put a gift basket together for Anna.", {FOOD, BOTH}),
        ("Was soll ich kochen?", {FOOD, BOTH}),
        ("Une recette pour ce soir ?", {FOOD, BOTH}),
        ("¿Qué puedo comer?", {FOOD, BOTH}),
        ("Uma receita para o jantar?", {FOOD, BOTH}),
        ("Which sport suits me?", {HEALTH, BOTH}),
        ("Make me a training plan", {HEALTH, BOTH}),
        ("Can I take ibuprofen?", set(Caution)),
        ("Plan a trip to Lisbon", set(Caution)),
        ("Which wine goes with it?", set(Caution)),
        ("What should I avoid?", set(Caution)),
        ("What is my name?", set()),
        ("How do I avoid deadlocks in PostgreSQL?", set()),
        ("Which cookies does the site set?", set()),
        ("Where is the menu bar?", set()),
        ("Where does Tim Cook live?", set()),
        ("Run the tests", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_a_question_touches_what_could_matter(question: str, touched: set[Caution]) -> None:
    """Meals to what is not eaten, sport to what ails, medicine and journeys to both."""
    assert cautions_touched(question) == touched


@pytest.mark.parametrize(
    ("rule", "is_one"),
    [
        ("Never suggest Java.", True),
        ("Please do not use emojis.", True),
        ("Don’t call after six.", True),
        ("You must not share prices.", True),
        ("Stop using emojis.", True),
        ("Keine Emojis verwenden.", True),
        ("Ne propose jamais Java.", True),
        ("Nunca sugieras Java.", True),
        ("Não uses emojis.", True),
        ("Do it step by step.", False),
        ("Answer briefly, and never twice.", False),
        ("Use metric units.", False),
        ("", False),
    ],
)
def test_a_rule_that_forbids_begins_so(rule: str, is_one: bool) -> None:  # noqa: FBT001
    """A prohibition further on is a part of another rule."""
    assert forbids(rule) is is_one


def test_long_texts_are_read_in_no_time() -> None:
    """No pattern tries a text again and again."""
    for word in ("has a ", "is very ", "allergic ", "does not ", "(" * 9, "a-b-c "):
        assert caution_of(word * 100_000) in {None, *Caution}
        assert cautions_touched(word * 100_000) in (set(), set(Caution))


@pytest.mark.parametrize("start", ["has ", "with ", "takes ", "is on an ", "isst ", "does not eat ", ""])
@pytest.mark.parametrize("again", ["-a", "a-", "--", "'a", "ly ", "takes ", "a,", " ", "1 mg "])
def test_a_hostile_text_is_read_to_its_end(start: str, again: str) -> None:
    """No pattern tries every way to cut it: one that did would not come back from these."""
    text = start + again * 2_000
    assert caution_of(text) in {None, Caution.FOOD, Caution.HEALTH}
    assert cautions_touched(text) <= set(Caution)
    assert not forbids(text)
