import type { CoverageTable } from './row';

/** Nothing depends on it. */
const asItCame = 'not read: stored and shown as it came';

/** The parts of the specification that are about lens analyses, item by item. */
export const lensChecklist = {
  'Lens analysis': [
    'id',
    'object',
    'mode',
    'mode geo',
    'mode face',
    'status',
    'status awaiting_upload',
    'status queued',
    'status running',
    'status completed',
    'status failed',
    'status cancelled',
    'status expired',
    'file.media_type',
    'file.size_bytes',
    'file.sha256',
    'file.upload_status',
    'billing.status',
    'billing.amount',
    'billing.unit',
    'artifacts.id',
    'artifacts.type',
    'artifacts.status',
    'artifacts.url',
    'artifacts.url_expires_at',
    'artifacts.available_until',
    'upload.method',
    'upload.url',
    'upload.headers',
    'upload.expires_at',
    'result',
    'failure',
    'poll_after_seconds',
    'created_at',
    'updated_at',
    'submitted_at',
    'started_at',
    'completed_at',
  ],
  'Lens: endpoints': [
    'POST /lente/analyses: Idempotency-Key',
    'POST /lente/analyses: file.size_bytes',
    'POST /lente/analyses: file.sha256',
    'POST /lente/analyses: awaiting_upload with instructions',
    'uploading the file',
    'how the mode is selected is not shown',
    'how an analysis is read is not shown',
    'what follows the upload is not shown',
    'the largest file is not shown',
  ],
} as const;

export const lensTable: CoverageTable<typeof lensChecklist> = {
  'Lens analysis': {
    id: {
      sandbox: 'A UUID.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › reads an analysis of which only the id can be read',
    },
    object: {
      sandbox: 'Always lente_analysis.',
      client: 'not read: the route says what it is',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    mode: {
      sandbox: 'As it was asked for.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › tells the mode %s as it is',
    },
    'mode geo': {
      sandbox: 'As it was asked for.',
      client: 'src/domain/lens/analyze.ts#lensModes',
      test: 'contract/lens-client.test.ts › tells the mode %s as it is',
    },
    'mode face': {
      sandbox: 'As it was asked for.',
      client: 'src/domain/lens/analyze.ts#lensModes',
      test: 'contract/lens-client.test.ts › tells the mode %s as it is',
    },
    status: {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'status awaiting_upload': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'contract/lens-client.test.ts › knows an analysis that is %s',
    },
    'status queued': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'contract/lens-client.test.ts › knows an analysis that is %s',
    },
    'status running': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'contract/lens-client.test.ts › knows an analysis that is %s',
    },
    'status completed': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'contract/lens-client.test.ts › knows an analysis that is %s',
    },
    'status failed': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'integration/lens-endings.test.ts › an analysis ends as %s',
    },
    'status cancelled': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'integration/lens-endings.test.ts › an analysis ends as %s',
    },
    'status expired': {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#lensStates',
      test: 'integration/lens-endings.test.ts › an analysis ends as %s',
    },
    'file.media_type': {
      sandbox: 'As it was asked for, and as it arrived.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'file.size_bytes': {
      sandbox: 'As it was asked for, and as it arrived.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'file.sha256': {
      sandbox: 'As it was asked for, and as it arrived.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'file.upload_status': {
      sandbox: 'As it was asked for, and as it arrived.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'billing.status': {
      sandbox: 'Charged when it is completed, tokens.',
      client: 'src/domain/lens/analyze.ts#LensSeen.billing',
      test: 'integration/lens.test.ts › a file is handed in once from its stored copy, and what was found is stored with its artifacts',
    },
    'billing.amount': {
      sandbox: 'Charged when it is completed, tokens.',
      client: 'src/domain/lens/analyze.ts#LensSeen.billing',
      test: 'integration/lens.test.ts › a file is handed in once from its stored copy, and what was found is stored with its artifacts',
    },
    'billing.unit': {
      sandbox: 'Charged when it is completed, tokens.',
      client: 'src/domain/core/service/billing-totals.ts#Billing.unit',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'artifacts.id': {
      sandbox: 'When it is completed, its links signed anew at every read.',
      client: 'src/domain/core/artifact.ts#Artifact.artifactId',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'artifacts.type': {
      sandbox: 'When it is completed, its links signed anew at every read.',
      client: 'src/domain/core/artifact.ts#Artifact.type',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'artifacts.status': {
      sandbox: 'When it is completed, its links signed anew at every read.',
      client: 'src/domain/core/artifact.ts#Artifact.status',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'artifacts.url': {
      sandbox: 'When it is completed, its links signed anew at every read.',
      client: 'src/domain/core/artifact.ts#Artifact.url',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'artifacts.url_expires_at': {
      sandbox: 'When it is completed, its links signed anew at every read.',
      client: 'src/domain/core/artifact.ts#Artifact.urlExpiresAt',
      test: 'integration/lens-endings.test.ts › one analysis is made and paid for, whatever is lost on the way',
    },
    'artifacts.available_until': {
      sandbox: 'When it is completed, its links signed anew at every read.',
      client: 'src/domain/core/artifact.ts#Artifact.availableUntil',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    'upload.method': {
      sandbox: 'While the file awaits its upload.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › the upload has the headers that were told and are for a store, and never our token',
    },
    'upload.url': {
      sandbox: 'While the file awaits its upload.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › the upload has the headers that were told and are for a store, and never our token',
    },
    'upload.headers': {
      sandbox: 'While the file awaits its upload.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › the upload has the headers that were told and are for a store, and never our token',
    },
    'upload.expires_at': {
      sandbox: 'While the file awaits its upload.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'integration/lens.test.ts › an upload that expires is followed by another analysis, and the one before is on record',
    },
    result: {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#LensSeen.hasResult',
      test: 'integration/lens.test.ts › a file is handed in once from its stored copy, and what was found is stored with its artifacts',
    },
    failure: {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/domain/lens/analyze.ts#LensSeen.failure',
      test: 'integration/lens-endings.test.ts › an analysis ends as %s',
    },
    poll_after_seconds: {
      sandbox: 'By the script of the file and the clock.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    created_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    updated_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    submitted_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    started_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
    completed_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/lens-client.test.ts › an analysis reads as it was told',
    },
  },
  'Lens: endpoints': {
    'POST /lente/analyses: Idempotency-Key': {
      sandbox: 'A key gives the first analysis again.',
      client: 'src/apis/investigation/lens.ts#LensApi.create',
      test: 'integration/lens-endings.test.ts › one analysis is made and paid for, whatever is lost on the way',
    },
    'POST /lente/analyses: file.size_bytes': {
      sandbox: 'Checked against what arrives.',
      client: 'src/apis/investigation/lens.ts#LensApi.create',
      test: 'contract/lens-client.test.ts › a new analysis has size, sum and key, and the mode only when it is given',
    },
    'POST /lente/analyses: file.sha256': {
      sandbox: 'Checked against what arrives.',
      client: 'src/apis/investigation/lens.ts#LensApi.create',
      test: 'contract/lens-client.test.ts › a new analysis has size, sum and key, and the mode only when it is given',
    },
    'POST /lente/analyses: awaiting_upload with instructions': {
      sandbox: 'Until the bytes arrive, or it expires.',
      client: 'src/apis/investigation/wire/lens.wire.ts#lensWire',
      test: 'contract/lens-client.test.ts › an upload %s cannot be followed',
    },
    'uploading the file': {
      sandbox: 'On an origin of its own, which checks method, headers, length and sum.',
      client: 'src/apis/investigation/lens.ts#LensApi.upload',
      test: 'integration/lens.test.ts › a file is handed in once from its stored copy, and what was found is stored with its artifacts',
    },
    'how the mode is selected is not shown': {
      sandbox: 'A field of the body.',
      client: 'assumption: choose the mode of an analysis',
      test: 'contract/lens-client.test.ts › a new analysis has size, sum and key, and the mode only when it is given',
    },
    'how an analysis is read is not shown': {
      sandbox: 'By its id.',
      client: 'assumption: read an analysis',
      test: 'contract/lens-client.test.ts › the paths to read and to submit can be others',
    },
    'what follows the upload is not shown': {
      sandbox: 'Nothing, or a call, by the scenario.',
      client: 'assumption: submit after the upload',
      test: 'integration/lens.test.ts › where an upload by itself starts nothing, the analysis is asked for once it is there',
    },
    'the largest file is not shown': {
      sandbox: '413, 50 MiB unless the scenario has another limit.',
      client: 'assumption: largest file',
      test: 'integration/lens.test.ts › a file that cannot be sent is refused before anything is',
    },
  },
};
