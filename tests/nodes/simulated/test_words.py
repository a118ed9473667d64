from nodes.simulated import words

TOOLS = [{"function": {"name": "get_weather", "parameters": {"properties": {"town": {}}}}}]


def test_the_same_prompt_gives_the_same_tokens():
    assert list(words.tokens("Hello", 9)) == list(words.tokens("Hello", 9))


def test_other_prompts_give_other_tokens():
    assert list(words.tokens("Hello", 9)) != list(words.tokens("Good morning", 9))


def test_hello_counts_ten_tokens_in_a_template_as_recorded():
    assert words.prompt_tokens("Hello") == 10


def test_text_in_parts_counts_as_text():
    assert words.text_of([{"content": [{"type": "text", "text": "one"}, {"type": "image_url"}]}]) == "one "


def test_a_question_about_the_weather_wants_the_first_tool():
    question = [{"role": "user", "content": "Weather in Paris?"}]
    assert words.wanted_call(TOOLS, question) == words.ToolCall("get_weather", {"town": "Paris"})


def test_without_tools_the_weather_is_only_talked_about():
    assert words.wanted_call([], [{"role": "user", "content": "Weather in Paris?"}]) is None


def test_the_answer_of_a_tool_wants_no_further_call():
    assert words.wanted_call(TOOLS, [{"role": "tool", "content": "weather: sunny"}]) is None


def test_a_vector_has_length_one():
    assert abs(sum(x * x for x in words.vector("a", 384)) - 1) < 1e-9
