import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperatorService, WorkflowService } from '@temporalio/client';
import { searchAttributeNames } from '../../../src/domain/core/search-attributes';
import {
  creationCommands,
  refuseMissingSearchAttributes,
  registerSearchAttributes,
} from '../../../src/temporal/search-attributes';

const denied = { PERMISSION_DENIED: 7, UNIMPLEMENTED: 12, UNAUTHENTICATED: 16 };

interface Calls {
  list?: () => unknown;
  add?: (names: string[]) => void;
  find?: () => void;
}

/** A namespace as its server answers; by default it has nothing and takes everything. */
function namespaceThat({ list, add, find }: Calls) {
  const added: string[] = [];
  const connection = {
    operatorService: {
      listSearchAttributes: async () => list?.() ?? { customAttributes: {} },
      addSearchAttributes: async ({ searchAttributes }: { searchAttributes: object }) => {
        add?.(Object.keys(searchAttributes));
        added.push(...Object.keys(searchAttributes));
      },
    } as unknown as OperatorService,
    workflowService: {
      listWorkflowExecutions: async () => find?.(),
    } as unknown as WorkflowService,
  };
  return { engine: { connection, namespace: 'house' }, added };
}

function fails(code: number, details = ''): () => never {
  return () => {
    throw Object.assign(new Error(`${code} ${details}`), { code, details, metadata: {} });
  };
}

describe('registering search attributes', () => {
  test.each(Object.entries(denied))(
    'says what its operator must run where the server answers %s',
    async (_, code) => {
      const { engine } = namespaceThat({ list: fails(code), add: fails(code) });
      const refused = await registerSearchAttributes(engine).catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: 'ConfigError', variable: 'TEMPORAL_NAMESPACE' });
      const { message } = refused as Error;
      for (const command of creationCommands('house')) expect(message).toContain(command);
    },
  );

  test('ends when the server has taken note of them', async () => {
    let looks = 0;
    const find = (): void => {
      looks += 1;
      if (looks < 3) fails(3, 'no mapping defined for search attribute DiligenceKind')();
    };
    const { engine } = namespaceThat({ find });
    expect(await registerSearchAttributes(engine)).toEqual({
      added: searchAttributeNames,
      present: [],
    });
    expect(looks).toBe(3);
  });

  test('finds those that are there where the server cannot list them', async () => {
    const there = fails(6, 'already exists');
    const { engine, added } = namespaceThat({
      list: fails(denied.UNIMPLEMENTED),
      add: ([name]) => (name === 'DiligenceKind' ? there() : undefined),
    });
    const { present } = await registerSearchAttributes(engine);
    expect(present).toEqual(['DiligenceKind']);
    expect(added).toHaveLength(4);
  });

  test('passes on a failure that is no answer about them', async () => {
    const { engine } = namespaceThat({ list: fails(14, 'unavailable') });
    await expect(registerSearchAttributes(engine)).rejects.toMatchObject({ code: 14 });
  });
});

describe('a start without search attributes', () => {
  test('is not refused where nobody may ask which there are', async () => {
    const { engine } = namespaceThat({ list: fails(denied.PERMISSION_DENIED) });
    await expect(refuseMissingSearchAttributes(engine)).resolves.toBeUndefined();
  });

  test('is refused with those that are missing, and the cure', async () => {
    const { engine } = namespaceThat({
      list: () => ({ customAttributes: { DiligenceKind: 2, DiligenceBatch: 2, Theirs: 1 } }),
    });
    await expect(refuseMissingSearchAttributes(engine)).rejects.toThrow(
      /lacks the search attributes DiligenceOutcome, DiligenceService, DiligenceNeedsAttention: run `diligence setup` once/,
    );
  });
});

test('the set-up script of the compose file makes the same ones', () => {
  const script = readFileSync(
    join(__dirname, '..', '..', '..', 'docker', 'setup-namespace.sh'),
    'utf8',
  );
  const inScript = [...script.matchAll(/\b(Diligence\w+)=(\w+)/g)].map(
    ([, name, type]) => `--name ${name} --type ${type}`,
  );
  const ours = creationCommands('house').map((command) => command.replace(/^.*(?=--name)/, ''));
  expect(inScript).toEqual(ours);
});
