// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export { stopServers as default } from './servers-setup';
