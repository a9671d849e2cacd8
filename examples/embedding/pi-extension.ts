// What lies in ~/.pi/agent/extensions or in .pi/extensions of a project; `pi-session.ts` loads it in a session of Pi.
import { piExtension } from "amplihack/engine/pi";
import { engine } from "./agent.ts";

export default piExtension(engine);
