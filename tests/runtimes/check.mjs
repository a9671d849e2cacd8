// The scenario in whatever runtime loads this file; a difference from what it must come to is an error.
import { EXPECTED, runScenario } from "./scenario.mjs";

export async function check() {
  const results = JSON.parse(await runScenario());
  const names = [...new Set([...Object.keys(EXPECTED), ...Object.keys(results)])];
  const wrong = names.filter(name => JSON.stringify(EXPECTED[name]) !== JSON.stringify(results[name]));
  if (names.length === 0 || wrong.length > 0)
    throw new Error(wrong.map(name => `${name}: ${JSON.stringify(results[name])}`).join("\n"));
  return names.length;
}
