const NAME = '[\\w."`\\[\\]$-]+';
const THINGS =
  "database|schema|table|index|view|user|role|function|procedure|sequence|trigger|type|extension|keyspace|collection|policy|tablespace|owned";
const OPENINGS = [
  "select\\b[\\s\\S]*(\\bfrom\\b|\\()",
  'with\\s+(recursive\\s+)?[\\w"]+\\s*(\\([^)]*\\)\\s*)?as\\b',
  `(insert\\s+(or\\s+\\w+\\s+|ignore\\s+)?|replace\\s+|merge\\s+)into\\s+${NAME}`,
  `update\\s+(only\\s+)?${NAME}(\\s+(as\\s+)?\\w+)?\\s+set\\s+\\S`,
  `delete\\s+from\\s+(only\\s+)?${NAME}\\s*($|where\\b|using\\b|returning\\b|as\\b|--|/\\*)`,
  `(drop|alter|create)\\s+(or\\s+replace\\s+|unique\\s+|temp\\s+|temporary\\s+|materialized\\s+)*(${THINGS})\\s+\\S`,
  `truncate\\s+(table\\s+|only\\s+)*${NAME}(\\s*,\\s*${NAME})*\\s*($|restart\\b|continue\\b|cascade\\b|restrict\\b)`,
  "(grant|revoke)\\s+[\\s\\S]+\\s(on|to|from)\\s",
  "(explain|call|exec|execute|do|copy)\\s+[\\s\\S]*",
];
const MAX_STATEMENTS = 50;
const MAX_OPENING = 2000;

let opening: RegExp | undefined;

/** One of its statements has the form of SQL, as words that are searched for have not. */
export function isSqlForm(text: string): boolean {
  const form = opening ?? new RegExp(`^\\(*\\s*(?:${OPENINGS.join("|")})`, "i");
  opening = form;
  const statements = skipComments(text).split(";").slice(0, MAX_STATEMENTS);
  return statements.some(statement => form.test(skipComments(statement).slice(0, MAX_OPENING)));
}

/** Comments in front of a statement say nothing of it. */
function skipComments(text: string): string {
  let rest = text.trimStart();
  for (let seen = 0; seen < MAX_STATEMENTS; seen += 1) {
    const [mark, length] = rest.startsWith("--") ? ["\n", 1] : rest.startsWith("/*") ? ["*/", 2] : ["", 0];
    const end = length === 0 ? -1 : rest.indexOf(mark);
    if (end < 0) return rest;
    rest = rest.slice(end + length).trimStart();
  }
  return rest;
}
