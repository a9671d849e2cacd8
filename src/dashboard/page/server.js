// Asking the server this page came from.

const token = new URLSearchParams(location.search).get("token") ?? "";

export function address(path, query = {}) {
  return `${path}?${new URLSearchParams({ ...query, token })}`;
}

/** Sends what a person decided. The token goes in a header, which no link or form of another site can set. */
export async function send(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-amplihack-token": token },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

/** A document of the server's, whose texts it has escaped. Its scripts do not run. */
export async function fetchDocument(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error((await response.json()).error ?? `status ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
