/** Cyrillic, Greek and Armenian letters that are drawn like Latin ones. */
const LOOK_ALIKES = new Set([..."аеорсухіїјѕԁһԛԝѵёАВЕКМНОРСТУХІЈЅοαρνικυωΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցհ"]);
const OTHER_SCRIPT = /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uff21-\uff5a]/;

/** A host name that only looks like the one it imitates. */
export function hasMixedScripts(host: string): boolean {
  return host.split(".").some(label => {
    if (!OTHER_SCRIPT.test(label)) return false;
    if (/[A-Za-z]/.test(label)) return true;
    return [...label].every(character => LOOK_ALIKES.has(character) || /[0-9-]/.test(character));
  });
}
