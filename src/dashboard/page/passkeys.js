// Logging in to a team's server without a password: the browser, or the device beside it, has the key.

const toBytes = text =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
const toText = buffer =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export function listenForPasskeys() {
  for (const form of document.querySelectorAll("form[data-passkey]"))
    form.addEventListener("submit", event => {
      event.preventDefault();
      ask(form).then(
        answer => {
          form.elements.answer.value = JSON.stringify(answer);
          form.submit();
        },
        error => {
          form.querySelector("output").textContent = error.message;
        },
      );
    });
}

async function ask(form) {
  const response = await fetch("/login/challenge", { method: "POST" });
  const { challenge, error } = await response.json();
  if (!response.ok) throw new Error(error);
  const { passkey, person, known } = form.dataset;
  const common = { challenge: toBytes(challenge), timeout: 120_000 };
  if (passkey === "use") {
    const { id, response: given } = await navigator.credentials.get({
      publicKey: { ...common, userVerification: "required" },
    });
    return {
      id,
      client: toText(given.clientDataJSON),
      data: toText(given.authenticatorData),
      signature: toText(given.signature),
    };
  }
  const { id, response: made } = await navigator.credentials.create({
    publicKey: {
      ...common,
      rp: { name: "amplihack" },
      user: { id: new TextEncoder().encode(person), name: person, displayName: person },
      pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: "public-key", alg })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: known
        .split(" ")
        .filter(each => each !== "")
        .map(each => ({ type: "public-key", id: toBytes(each) })),
    },
  });
  return {
    id,
    client: toText(made.clientDataJSON),
    data: toText(made.getAuthenticatorData()),
    key: toText(made.getPublicKey()),
  };
}
