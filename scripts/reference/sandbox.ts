import { faults, type CallRole } from '../../src/sandbox/faults/faults';
import { parseScenario } from '../../src/sandbox/scenario';
import { code, page, table } from './markdown';

/** How docs/sandbox.md calls what a call does. */
const everyRole = new Set<CallRole>(Object.values(faults).flatMap(({ roles }) => [...roles]));

export function sandboxPage(): string {
  const { credit, monitors, dossiers, traces, lens, profiles, ...certificates } = parseScenario({});
  const sections = { credit, monitors, dossiers, traces, lens, profiles };
  return page(
    'The sandbox: faults, and what a scenario may say',
    'How to use it: [the sandbox](../sandbox.md).',
    [
      '## Fault words',
      'A step of a scenario is such a word, or an object with it as `kind`. The calls: `order` creates without a key, `form` with a file (the upload of a receivables file), `create` with a key; `retry`, `change` alter what is there; `poll` and `read` read a state, `list` a list, `lookup` anything else, `result` a result; `pdf` is a download with a token, `download` and `upload` go by a signed address; `open` needs no token. _Acts_: the service does what was asked, whatever it answers.',
      table(
        ['word', 'calls', 'acts', 'what the client sees'],
        Object.entries(faults).map(([word, { roles, shows, ...fault }]) => [
          code(word),
          rolesIn(roles),
          'instead' in fault ? 'no' : 'yes',
          shows,
        ]),
      ),
      '## Defaults of a scenario',
      'Everything may be left out. What stands here is what is then taken.',
      '### Certificates',
      json(certificates),
      ...Object.entries(sections).flatMap(([name, value]) => [
        `### Section ${code(name)}`,
        json({ [name]: value }),
      ]),
    ],
  );
}

function rolesIn(roles: readonly CallRole[]): string {
  if (roles.length === everyRole.size) return 'all';
  const missing = [...everyRole].filter((role) => !roles.includes(role));
  return missing.length < roles.length && missing.length <= 4
    ? `all but ${missing.join(', ')}`
    : roles.join(', ');
}

/** Short lists and objects on one line. */
function json(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replaceAll(
    /[[{]\n\s+([^[\]{}]{1,70})\n\s+[\]}]/g,
    (whole) => whole.replaceAll(/\n\s*/g, ' '),
  );
  return `\`\`\`json\n${text}\n\`\`\``;
}
