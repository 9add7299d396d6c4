/** Content blocks and their bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { audio, bytesOf, embedded, image, resourceLink, text } from 'omniport';

test('bytes, base64 of any flavour and data URIs become standard base64 (Y22)', () => {
  const bytes = new Uint8Array([251, 255, 254]);
  const given = [
    bytes,
    bytes.buffer as ArrayBuffer,
    Buffer.from(bytes),
    '+//+',
    '-__-',
    ' +/\n/+ ',
    'data:;base64,+//+',
  ];
  for (const data of given)
    assert.deepEqual({ ...image(data) }, { type: 'image', data: '+//+', mimeType: 'image/png' });
  assert.equal(image(new Uint8Array([0, 251, 255, 254]).subarray(1)).data, '+//+');
  assert.equal(audio('data:audio/MP3;base64,AQ').mimeType, 'audio/mp3');
  assert.equal(image('data:image/svg+xml,%3Csvg/%3E').data, Buffer.from('<svg/>').toString('base64'));
  assert.throws(() => image('no base64!'), /no base64/);
});

test('blocks say what they were told, and nothing else', () => {
  const options = { annotations: { audience: ['user'] }, meta: { m: 1 } };
  assert.deepEqual(
    { ...text('x', options) },
    { type: 'text', text: 'x', annotations: options.annotations, _meta: { m: 1 } },
  );
  assert.deepEqual(
    { ...resourceLink('a:b', { size: 3 }) },
    { type: 'resource_link', uri: 'a:b', name: 'a:b', size: 3 },
  );
  assert.deepEqual(
    { ...embedded({ uri: 'a:', mimeType: 'x/y', data: new Uint8Array([1]) }) },
    {
      type: 'resource',
      resource: { uri: 'a:', mimeType: 'x/y', blob: 'AQ==' },
    },
  );
});

test('the bytes of what came', () => {
  assert.deepEqual(bytesOf(image(new Uint8Array([1, 2]))), new Uint8Array([1, 2]));
  assert.deepEqual(bytesOf({ uri: 'a:', blob: 'AQI' }), new Uint8Array([1, 2]));
  assert.deepEqual(bytesOf(embedded({ uri: 'a:', text: 'é' })), new Uint8Array([195, 169]));
  assert.throws(() => bytesOf({ type: 'resource_link', uri: 'a:' }), /no bytes/);
});
