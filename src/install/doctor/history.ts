import { isHistoryOn, loadConfig } from "../../config/index.ts";
import { openHistory } from "../../history/index.ts";
import { errorText } from "../../protocol/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { count, sizeText } from "../../text/index.ts";
import { type DoctorCheck, fail, pass } from "./check.ts";

const ID = "history";

/** Whether what agents change can be kept, and how much of it is. */
export function checkHistory(system: System, places: UserDirectories): DoctorCheck {
  const { stateHome, projectRoot: project } = places;
  const { config } = loadConfig(system, places);
  if (!isHistoryOn(config))
    return pass(ID, "what agents change is not kept: the history is switched off in the configuration");
  const folder = join(stateHome, ID);
  try {
    const history = openHistory(system, { stateHome, project }, config.history);
    const obstacle = history.whyNotWritable();
    if (obstacle !== undefined)
      return fail(ID, `what agents change cannot be kept: ${obstacle}`, `make ${folder} writable`);
    const { changes, bytes } = history.storeSize();
    return pass(ID, `the history can be written: ${count(changes, "change")}, ${sizeText(bytes)}`);
  } catch (error) {
    return fail(ID, `the history cannot be read: ${errorText(error)}`, "amplihack history verify");
  }
}
