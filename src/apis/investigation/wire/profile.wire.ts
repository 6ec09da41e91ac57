import { z } from 'zod';
import {
  addressTexts,
  ownerTexts,
  patentTexts,
  propertyNumbers,
  propertyTexts,
  ruralLists,
  ruralSummaryNumbers,
  transportLists,
  transportNumbers,
  vehicleNumbers,
  vehicleTexts,
  type CompanyRural,
  type PersonRural,
  type Profile,
} from '../../../domain/profiles/profile';
import { ContractError, type CallName } from '../../http/errors';
import { parseJson } from '../../http/problem';
import { asItCame, listAsItCame, number, parseWire, reported } from './wire-fields';

/** The service's shape of an asset profile (specification: "Asset profile"), and ours. */

function fields<Name extends string, Field extends z.ZodType>(
  names: readonly Name[],
  field: Field,
): Record<Name, Field> {
  return Object.fromEntries(names.map((name) => [name, field])) as Record<Name, Field>;
}

/** A row that is no object counts as empty. */
function rowsOf<T>(row: z.ZodType<T>): z.ZodType<T[] | null> {
  return listAsItCame.transform(
    (list) => list?.map((one) => row.parse(isObject(one) ? one : {})) ?? null,
  );
}

const vehicle = z.object({ ...fields(vehicleTexts, reported), ...fields(vehicleNumbers, number) });

const property = z.object({
  ...fields(propertyTexts, reported),
  ...fields(propertyNumbers, number),
  localizacao: orNull(z.object(fields(addressTexts, reported))),
  proprietario: orNull(z.object(fields(ownerTexts, reported))),
});

const patent = z.object(fields(patentTexts, reported));

const personRural = z.object({
  documento: reported,
  tipo: reported,
  ...fields(ruralLists, listAsItCame),
  transportes: orNull(
    z.object({ ...fields(transportNumbers, number), ...fields(transportLists, listAsItCame) }),
  ),
  resumo: orNull(z.object({ ...fields(ruralSummaryNumbers, number), estados: listAsItCame })),
});

/** A company's has `imoveisRurais`; any other is read as a person's. */
const rural = asItCame.transform((wire): PersonRural | CompanyRural | null => {
  if (wire === null) return null;
  const { imoveisRurais, perfil } = wire;
  if (Array.isArray(imoveisRurais)) {
    return { kind: 'company', imoveisRurais, perfil: isObject(perfil) ? perfil : null };
  }
  return { kind: 'person', ...personRural.parse(wire) };
});

const profileWire = z
  .object({
    veiculos: rowsOf(vehicle),
    imoveis: rowsOf(property),
    aeronaves: orNull(z.object({ avioes: listAsItCame, drones: listAsItCame })),
    patentes: rowsOf(patent),
    rural,
  })
  .transform((wire): Profile => ({
    vehicles: wire.veiculos,
    properties: wire.imoveis,
    planes: wire.aeronaves?.avioes ?? null,
    drones: wire.aeronaves?.drones ?? null,
    patents: wire.patentes,
    rural: wire.rural,
  }));

const sections = ['veiculos', 'imoveis', 'aeronaves', 'patentes', 'rural'];

/** A 200: the profile, or a refusal in its body. */
export type ProfileAnswer =
  | { kind: 'profile'; profile: Profile; answer: object }
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
    return { kind: 'profile', profile: parseWire(profileWire, call, answer), answer };
  }
  const invalid = onlyError.safeParse(answer);
  if (invalid.success) return { kind: 'invalid', message: invalid.data.erro };
  const refused = errorBody.safeParse(answer);
  if (!refused.success) throw new ContractError(call, [{ path: '', code: 'no_profile' }]);
  const { codigo, mensagem } = refused.data.erro;
  return { kind: 'refused', code: codigo, message: mensagem };
}

function orNull<T extends z.ZodType>(schema: T) {
  return schema
    .nullish()
    .catch(null as never)
    .transform((value) => value ?? null);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
