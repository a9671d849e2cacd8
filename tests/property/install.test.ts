import fc from "fast-check";
import { HOST_IDS, listEntries, ownedHandler } from "../../src/exports/hosts.ts";
import { generateFiles, opencodePlugin, piExtension } from "../../src/install/generated-modules.ts";
import { registerEntries, wantedEntries } from "../../src/install/hook-entries.ts";
import type { FailurePolicy } from "../../src/protocol/index.ts";
import { quoteWord } from "../../src/system/processes.ts";
import { describePublicFunctions, forAll, forBoth } from "./public-functions.ts";
import { layouts, settings, someEntries } from "./settings-texts.ts";
import { paths, texts } from "./values.ts";

const ids = fc.constantFrom(...HOST_IDS);
const policies = fc.constantFrom<FailurePolicy>("open", "ask", "closed");
const modules = fc.record({
  program: paths,
  failure: policies,
  version: fc.constantFrom("0.1.0", "1.2.3-beta"),
});

const writing = { generateFiles, opencodePlugin, piExtension, wantedEntries, quoteWord, registerEntries };

describePublicFunctions("install that write hosts' files", writing, {
  generateFiles: forBoth(fc.constantFrom("opencode", "pi", "cline"), modules, (host, options) => {
    const files = generateFiles(host, options);
    return files.length > 0 && files.every(file => file.text.includes(options.version) || file.text !== "");
  }),
  opencodePlugin: forAll(modules, options =>
    opencodePlugin(options).includes(JSON.stringify(options.program)),
  ),
  piExtension: forAll(modules, options => piExtension(options).includes(JSON.stringify(options.program))),
  wantedEntries: forBoth(ids, fc.tuple(paths, fc.boolean()), (id, [program, isShared]) =>
    wantedEntries(id, { program, isShared }).every(
      entry => ownedHandler(entry.handler) !== undefined || !/\/amplihack-hooks$/.test(program),
    ),
  ),
  quoteWord: forAll(texts, word => {
    const quoted = quoteWord(word);
    const inner = quoted.startsWith("'") ? quoted.slice(1, -1).replaceAll("'\\''", "'") : quoted;
    return inner === word && (quoted.startsWith("'") || /^[\w/.:=@%+,-]+$/.test(quoted));
  }),
  registerEntries: forBoth(layouts, settings, ({ id, layout }, before) => {
    const wanted = someEntries(id);
    const edited = registerEntries(before, layout, wanted);
    if (!edited.ok) return edited.problem !== "" && edited.line >= 1;
    const again = registerEntries(edited.text, layout, wanted);
    const found = listEntries(edited.text, layout);
    const own = found.ok ? found.entries.filter(entry => entry.owned !== undefined) : [];
    return again.ok && !again.isChanged && own.length === wanted.length;
  }),
});
