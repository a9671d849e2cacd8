const SECRET_NAME =
  /(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PWD_?HASH|API_?KEY|APIKEY|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|CREDENTIALS?|AUTH|PAT|DSN|DATABASE_URL)(_|$)/i;

/** A variable that is named like what one keeps to oneself. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
