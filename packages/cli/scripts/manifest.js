// Writes oclif.manifest.json, from which oclif knows every command without loading each of them at start.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core/config';

const root = fileURLToPath(new URL('..', import.meta.url));
const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true });
await plugin.load();
writeFileSync(`${root}oclif.manifest.json`, JSON.stringify(plugin.manifest));
