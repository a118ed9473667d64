"""Ordinary English, and how many tokens a real tokenizer (SmolLM2's, 49 152 entries) counted in it."""

TEXTS = {
    "a question": ("What is the capital of France, and how long does the train from London take to get there?"),
    "a request": (
        "Please write a short, polite email to my landlord. The heating in the bathroom has not worked since Monday, "
        "and I would like somebody to look at it before the weekend."
    ),
    "a story": (
        "The old ferry left the harbour a little after six, when the fog still lay on the water. Nobody on deck said "
        "much. A woman in a red coat counted her children twice, the dog slept under the bench, and the captain drank"
        " his coffee as if he had all the time in the world. By noon the sun had come out, and the islands stood in "
        "front of us like a row of broken teeth."
    ),
    "an explanation": (
        "A heat pump moves warmth instead of making it. A fluid evaporates in the cold part of the circuit and takes "
        "up heat from the air outside; a compressor raises its pressure and its temperature; then it condenses inside"
        " the house and gives the heat away. For each unit of electricity that the compressor uses, three or four "
        "units of heat arrive in the radiators. The colder it is outside, the smaller that number gets."
    ),
    "a report": (
        "Revenue in the third quarter rose by 12 percent to 48.3 million dollars, mostly because of new customers in "
        "the north. Operating costs grew more slowly, by 5 percent. The board expects the margin to stay between 17 "
        "and 19 percent for the rest of the year, although the price of energy remains hard to predict."
    ),
    "instructions": (
        "Preheat the oven to 200 degrees. Mix the flour, the salt and the cold butter with your fingers until it "
        "looks like crumbs. Add two spoons of water, press everything together and let it rest in the fridge for half"
        " an hour. Meanwhile, peel the apples, cut them into thin slices and toss them with lemon juice and sugar. "
        "Roll out the dough, line the tin, fill it, and bake it for forty minutes."
    ),
    "a complaint": (
        "I've been a customer for eight years, and I don't think I've ever waited this long for an answer. I called "
        "twice last week; both times I was told that someone would ring me back, and nobody did. If the replacement "
        "isn't here by Friday, I'll cancel the contract and ask for my money back."
    ),
    "a summary of research": (
        "Researchers compared two groups of patients over eighteen months. Participants who slept less than six hours"
        " scored significantly lower on memory tests, even after the authors had corrected for age, education and "
        "medication. The difference was largest among people over sixty. Because the study was observational, it "
        "cannot show that short sleep is the cause."
    ),
    "technical prose": (
        "The scheduler keeps one queue for each worker and steals from its neighbours when its own runs dry. A task "
        "that blocks on the network gives up its thread, so that a handful of threads can serve thousands of "
        "connections. If the process receives a termination signal, it stops accepting work, waits for running tasks "
        "to finish and writes its state to disk before it exits."
    ),
}
COUNTED = {
    "a question": 20,
    "a request": 35,
    "a story": 84,
    "an explanation": 85,
    "a report": 74,
    "instructions": 91,
    "a complaint": 67,
    "a summary of research": 62,
    "technical prose": 73,
}

# Short conversations, and what the engine said their prompts were once its chat template was around them.
CHATS = (
    (
        [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": "Hello, how are you?"},
        ],
        26,
    ),
    (
        [
            {"role": "system", "content": "You answer in one sentence."},
            {"role": "user", "content": TEXTS["a story"] + "\n\nSummarize."},
        ],
        110,
    ),
    (
        [
            {"role": "system", "content": "You know about houses."},
            {"role": "user", "content": "What is a heat pump?"},
            {"role": "assistant", "content": "A machine that moves warmth from one place to another."},
            {"role": "user", "content": "How efficient is it?"},
        ],
        52,
    ),
)
