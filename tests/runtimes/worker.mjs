// `workerd test` calls this.
import { check } from "./check.mjs";

export default {
  async test() {
    await check();
  },
};
