// Bundlers leave out of a file what nobody uses only where they see that nothing else depends on its being run.
// `sideEffects` of package.json says that of whole files; in a file that was joined from many each statement has to say it.
import { parse } from "@babel/parser";

const PURE = "/*@__PURE__*/";
const PLAIN =
  /^(?:(?:String|Numeric|Boolean|Null|RegExp|BigInt)Literal|Identifier|(?:Arrow)?FunctionExpression)$/;
const COLLECTIONS = ["Map", "Set", "WeakMap", "WeakSet"];

/** The text of a module whose top-level values may be left out. */
export function markPure(text) {
  const { body } = parse(text, { sourceType: "module" }).program;
  const declared = body.flatMap(({ declarations = [] }) => declarations);
  const textOf = ({ start, end }) => text.slice(start, end);
  const edits = declared
    .filter(({ id, init }) => id.type === "Identifier" && init && !isPlain(init))
    .map(({ init }) => {
      const isCall =
        /^(?:Call|New)Expression$/.test(init.type) && [init.callee, ...init.arguments].every(isPlain);
      return { at: init, put: isCall ? `${PURE}${textOf(init)}` : `${PURE}(()=>(${textOf(init)}))()` };
    });
  // What esbuild makes of `import * as a`: `var a={};define(a,{…});`
  for (const statement of body) {
    const { callee, arguments: [target, members] = [] } = statement.expression ?? {};
    const made = declared.find(({ id, init }) => id.name === target?.name && init && textOf(init) === "{}");
    if (made === undefined || members?.type !== "ObjectExpression") continue;
    const put = `${PURE}(it=>(${textOf(callee)}(it,${textOf(members)}),it))({})`;
    edits.push({ at: made.init, put }, { at: statement, put: "" });
  }
  return edits
    .sort((one, other) => other.at.start - one.at.start)
    .reduce((all, { at, put }) => all.slice(0, at.start) + put + all.slice(at.end), text);
}

/** Bundlers see of these by themselves that they do nothing. */
function isPlain(node) {
  if (node === null || PLAIN.test(node.type)) return true;
  switch (node.type) {
    case "ArrayExpression":
      return node.elements.every(isPlain);
    case "ObjectExpression":
      return node.properties.every(
        ({ type, computed, value }) => !computed && (type === "ObjectMethod" || (value && isPlain(value))),
      );
    case "ClassExpression":
      return node.superClass === null && node.body.body.every(member => !member.static && !member.computed);
    case "NewExpression":
      return (
        COLLECTIONS.includes(node.callee.name) &&
        node.arguments.every(given => given.type === "ArrayExpression" && isPlain(given))
      );
    case "UnaryExpression":
      return isPlain(node.argument);
    default:
      return false;
  }
}
