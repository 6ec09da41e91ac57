import { appendFileSync } from 'node:fs';
import {
  attemptOf,
  nextNumber,
  subjectState,
  type Claim,
} from '../../src/domain/core/service/attempts';
import { AttemptRepository } from '../../src/store/core/attempts';
import { IdKey } from '../../src/protection/id-key';
import { SealedDatabase } from '../../src/store/sealed/sealed-database';
import { openDatabase } from '../../src/store/sqlite/database';

/**
 * A process that buys what nobody has bought: claims, "sends" (a line in a file of its own), and puts
 * the receipt. Arguments: folder of the store, number of subjects, name of the chunk, file for what it sends.
 */

const [folder = '', count = '0', chunk = '', file = ''] = process.argv.slice(2);
const owner = { workflowId: 'work', chunk };
const marginMs = 500;
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function buyAll(): Promise<void> {
  const store = await openDatabase(folder, IdKey.parse('ab'.repeat(32)));
  const attempts = new AttemptRepository(new SealedDatabase(store));
  const numbers = Array.from({ length: Number(count) }, (_, index) => index);
  for (const number of numbers.sort(() => Math.random() - 0.5)) {
    const subject = `certificate/cnpj/${number}`;
    const history = await attempts.of(subject);
    if (attemptOf(history, owner) !== null) continue;
    if (subjectState(history, Date.now()).kind !== 'free') continue;
    const claimedAt = Date.now();
    const nonce = `${chunk}-${number}`;
    const times = { answerBy: claimedAt + 10_000, claimedAt, afterUnknown: false };
    const claim: Claim = { owner, kind: 'send', nonce, ...times };
    const n = nextNumber(history);
    if ((await attempts.claim(subject, n, claim, 'job')) === 'taken') continue;
    const isLate = Date.now() > claimedAt + marginMs;
    if (!isLate) appendFileSync(file, `${subject}\n`);
    await pause(Math.random() * 5);
    const at = Date.now();
    const came = { kind: 'accepted', externalId: nonce, at } as const;
    const late = { kind: 'not_sent', reason: 'too late', at } as const;
    await attempts.putReceipt(subject, { n, claim }, isLate ? late : came);
  }
  await store.close();
}

void buyAll();
