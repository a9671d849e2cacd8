import { refresh } from "./live.js";
import { send } from "./server.js";

const dialog = document.getElementById("action");
const part = selector => dialog.querySelector(selector);

/** What the buttons of the dialog do; nothing is done before one of them is pressed. */
let decide = () => {};

export function listenForActions() {
  document.addEventListener("click", event => {
    const button = event.target.closest?.("button");
    if (!button) return;
    const { undo, redo, forget, held } = button.dataset;
    if (undo !== undefined) plan("undo", undo.split(" "));
    if (redo !== undefined) plan("redo", [redo]);
    if (forget !== undefined) askToForget(button.dataset);
    if (held !== undefined) askAboutHeld(button.dataset);
  });
  part(".cancel").addEventListener("click", () => dialog.close());
  part(".confirm").addEventListener("click", () => decide(false));
  part(".force").addEventListener("click", () => decide(true));
  dialog.addEventListener("close", () => refresh().catch(() => {}));
}

function open(title) {
  decide = () => {};
  part("h2").textContent = title;
  part(".content").replaceChildren();
  part(".outcome").textContent = "";
  part(".outcome").className = "outcome";
  part(".confirm").hidden = true;
  part(".force").hidden = true;
  part(".cancel").textContent = "Cancel";
  dialog.showModal();
}

async function plan(kind, ids) {
  open("Looking at your files …");
  try {
    const answer = await send("/api/plan", { kind, ids });
    part("h2").textContent = answer.title;
    const shown = new DOMParser().parseFromString(answer.html, "text/html");
    part(".content").replaceChildren(...shown.body.childNodes);
    const button = part(answer.hasConflicts ? ".force" : ".confirm");
    button.textContent = answer.hasConflicts
      ? "Overwrite what is there now"
      : kind === "undo"
        ? "Take this back"
        : "Redo";
    button.hidden = false;
    (answer.hasConflicts ? part(".cancel") : button).focus();
    decide = force => carryOut("/api/apply", { plan: answer.plan, force });
  } catch (error) {
    part("h2").textContent = "It cannot be taken back";
    tell(error.message, "bad");
  }
}

function askToForget({ forget, agent, name }) {
  open("Forget this for good?");
  part(".content").textContent = name;
  part(".confirm").textContent = "Forget it";
  part(".confirm").hidden = false;
  part(".cancel").focus();
  decide = () => carryOut("/api/forget", { id: forget, agent });
}

function askAboutHeld({ held, answer, name }) {
  open(answer === "apply" ? "Make these changes real?" : "Forget these changes?");
  part(".content").textContent = name;
  part(".confirm").textContent = answer === "apply" ? "Apply" : "Discard";
  part(".confirm").hidden = false;
  part(".cancel").focus();
  decide = () => carryOut("/api/held", { id: held, answer });
}

async function carryOut(path, body) {
  part(".confirm").hidden = true;
  part(".force").hidden = true;
  decide = () => {};
  tell("Working …", "");
  try {
    tell((await send(path, body)).text, "good");
  } catch (error) {
    tell(error.message, "bad");
  }
}

function tell(text, className) {
  part(".outcome").textContent = text;
  part(".outcome").className = `outcome ${className}`;
  part(".cancel").textContent = "Close";
  part(".cancel").focus();
}
