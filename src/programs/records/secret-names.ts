const SECRET_NAME =
  /(^|_)([A-Z]*(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|APIKEY)|PASS|SSHPASS|PW|MYSQL_PWD|PWD_?HASH|API_?KEY|(PRIVATE|ACCESS|SECRET|MASTER|SIGNING|ENCRYPTION|DEPLOY|SSH|STORAGE|ACCOUNT)_?KEY|CREDENTIALS?|O?AUTH|COOKIE|PAT|DSN|DATABASE_URL)(_|$)|^BUNDLE_\w+__/i;

/** A variable that is named like what one keeps to oneself. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
