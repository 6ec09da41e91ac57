import { certificate, certificates } from '../certificates/request';
import { analysesOfFolder, analysis } from '../credit/request';
import { dossier, dossiers } from '../dossiers/request';
import { investigation, investigations } from '../investigations/request';
import { lens } from '../lens/request';
import { scan, sweep } from '../monitors/request';
import { profile, profiles } from '../profiles/request';
import { trace, traces } from '../traces/request';

/** Every kind of job that can be started, with its request. A new one is an entry here. */
export const startables = {
  certificate,
  'certificate-batch': certificates,
  'credit-analysis': analysis,
  'credit-batch': analysesOfFolder,
  profile,
  'profile-batch': profiles,
  trace,
  'trace-batch': traces,
  lens,
  dossier,
  'dossier-batch': dossiers,
  'monitor-sweep': sweep,
  'monitor-scan': scan,
  investigation,
  'investigation-batch': investigations,
};
