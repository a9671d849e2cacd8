import { address, fetchDocument } from "./server.js";

/** Fills the place of a diff when somebody opens it. */
export function listenForDiffs() {
  // Opening does not bubble, but can be caught on the way down.
  document.addEventListener(
    "toggle",
    event => {
      const details = event.target;
      if (details instanceof HTMLDetailsElement && details.open && details.dataset.diff) load(details);
    },
    true,
  );
  for (const details of document.querySelectorAll("details[data-diff][open]")) load(details);
}

async function load(details) {
  const slot = details.querySelector(".slot");
  if (details.dataset.loaded !== undefined) return;
  details.dataset.loaded = "";
  slot.setAttribute("aria-busy", "true");
  try {
    const fragment = await fetchDocument(address("/diff", { id: details.dataset.diff }));
    slot.replaceChildren(...fragment.body.childNodes);
  } catch (error) {
    delete details.dataset.loaded;
    slot.textContent = `The diff cannot be shown: ${error.message}`;
  }
  slot.removeAttribute("aria-busy");
}
