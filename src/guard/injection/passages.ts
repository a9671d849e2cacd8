/** Words without which no passage speaks to an agent, in lower case. Looking for them is cheap; the patterns are not. */
const STEMS =
  "ignor|disregard|forget|overrid|overrul|discard|neglect|set aside|no attention|not follow|t follow|not obey|stop following|stop obeying|longer follow|supersede|" +
  "prompt is void|is void|are void|are revoked|cancelled|instructions are|llm|language model|chatbot|chat bot|assistant|agent|claude|copilot|gpt|gemini|codex|cursor|ai:|ai,|ai!| ai |reviewers|lgtm|" +
  "<|im_|<|s|<|e|<|u|<|a|[inst]|<<sys|<system|system:|system n|system m|system a|system u|[system|[admin|[developer|begin system|begin admin|begin operator|begin developer|admin override|guardrails|silently|secretly|human:|user:|<important>|</document>|</tool_result>|</function_results>|</context>|" +
  '</web_content>|</untrusted|end of |<function_calls>|invoke name=|<tool_call|tool_calls"|tool_use"|tool_code|"name"|"role"|the user says|the user said|' +
  "new user message|not tell|t tell|never tell|not inform|t inform|inform|not mention|t mention|mention|not let|not reveal|disclos|not report|secret from|hidden from|" +
  "from the user|from the human|from the developer|must not|nobody|without asking|without telling|you are now|no longer|unrestricted|no restrictions|new instruction|" +
  "new system|new policy|new prompt|new directive|additional instruction|your new|your real|your actual|your true|your only|the true|the real|the actual|your instructions|your guidelines|your rules|pretend|act as|before you|from your|by your|that reads this|processing this|when summari|while summari|not show|t show|system override|system prompt|" +
  "developer mode|act as if|from now on|granted|obey|already agreed|suspended|compromised";
const OTHER_STEMS =
  "missacht|vergiss|vergess|oublie|compte|abstraction|olvid|omiso|descarta|dimentica|trascura|esque|desconsidere|negeer|vergeet|glöm|bortse|игнор|забудь|внимания|" +
  "отбрось|ігнор|відкинь|zapomnij|pomiń|önceki|yukarıdaki|تجاهل|انس|पिछले|पूर्व|उपरोक्त|忽略|无视|無視|忘|忽視|理会|무시|잊|nutzer|utilisateur|usuario|utente|告诉|ユーザー|пользовател";

const PLAIN_STEMS = STEMS.split("|").filter(stem => stem.length > 2);
const ALL_STEMS = [...PLAIN_STEMS, ...OTHER_STEMS.split("|"), "<|"];
const REACH = 400;
const MAX_PASSAGES = 200;

export interface Passage {
  readonly start: number;
  readonly text: string;
}

/** The parts of a text that have such a word, each with what is around it. */
export function findPassages(text: string): readonly Passage[] {
  const lower = text.toLowerCase();
  const spans: [number, number][] = [];
  for (const stem of ALL_STEMS) {
    for (let at = lower.indexOf(stem); at >= 0; at = lower.indexOf(stem, at + REACH)) {
      spans.push([Math.max(0, at - REACH), at + 2 * REACH]);
    }
  }
  spans.sort(([left], [right]) => left - right);
  const merged: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged.slice(0, MAX_PASSAGES).map(([start, end]) => ({ start, text: text.slice(start, end) }));
}
