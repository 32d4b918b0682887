#!/usr/bin/env node
'use strict';

// Runs on the Node of the user (20 or newer). In a clone it starts the sources, elsewhere the bundle of the package.

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const root = join(__dirname, '..', '..', '..');
const ensure = join(root, 'tools', 'ensure.cjs');
const main = join(__dirname, '..', 'src', 'main.ts');
const bundle = join(__dirname, '..', 'dist', 'botyard.mjs');

if (existsSync(main) && existsSync(ensure)) startFromClone();
else if (existsSync(bundle)) void import(pathToFileURL(bundle).href);
else {
  process.stderr.write('botyard: this was packed without its bundle. Pack it with --ignore-scripts=false\n');
  process.exitCode = 1;
}

function startFromClone() {
  // What is installed is told on stderr, so that the output of a command stays its own.
  const ready = spawnSync(process.execPath, [ensure], { stdio: ['ignore', 2, 2] });
  if (ready.status !== 0) process.exit(ready.status ?? 1);
  const node = join(root, 'node_modules', '.bin', 'node');
  const { status } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
