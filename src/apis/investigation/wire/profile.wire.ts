import { z } from 'zod';
import { ContractError, type CallName } from '../../http/errors';
import { parseJson } from '../../http/problem';
import { reported } from './wire-fields';

/** The service's shape of an asset profile (specification: "Asset profile"): rows are shown as they come. */

const sections = ['veiculos', 'imoveis', 'aeronaves', 'patentes', 'rural'];

/** A 200: the profile, or a refusal in its body. */
export type ProfileAnswer =
  | { kind: 'profile'; answer: object }
  /** The CPF is invalid: a body with `erro` and nothing of a profile. */
  | { kind: 'invalid'; message: string }
  /** An error body under a success status. */
  | { kind: 'refused'; code: string; message: string | null };

const onlyError = z.object({ erro: z.string() });
const errorBody = z.object({
  success: z.literal(false),
  erro: z.object({ codigo: z.string().regex(/^[A-Za-z][\w.-]{0,79}$/), mensagem: reported }),
});

/** @throws ContractError when it is no JSON object, or has no section */
export function profileFromWire(call: CallName, body: Buffer): ProfileAnswer {
  const answer = parseJson(body);
  if (isObject(answer) && sections.some((section) => section in answer)) {
    return { kind: 'profile', answer };
  }
  const invalid = onlyError.safeParse(answer);
  if (invalid.success) return { kind: 'invalid', message: invalid.data.erro };
  const refused = errorBody.safeParse(answer);
  if (!refused.success) throw new ContractError(call, [{ path: '', code: 'no_profile' }]);
  const { codigo, mensagem } = refused.data.erro;
  return { kind: 'refused', code: codigo, message: mensagem };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
