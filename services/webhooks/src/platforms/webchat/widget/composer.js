import { element, icon } from './dom.js';

const longestRecordingMs = 120_000;

/** The field for a message, with files and the voice. Enter sends; Shift and Enter begin a line. */
export function createComposer({ client, words, limits, showFault }) {
  const field = element('textarea', {
    rows: '1',
    'aria-label': words.write,
    placeholder: words.write,
    maxlength: String(limits.textLength),
    enterkeyhint: 'send',
  });
  const picker = element('input', { type: 'file', hidden: true, tabindex: '-1' });
  const attach = element(
    'button',
    { class: 'icon', type: 'button', 'aria-label': words.attach },
    icon('attach'),
  );
  const send = element(
    'button',
    { class: 'icon send', type: 'submit', 'aria-label': words.send },
    icon('send'),
  );
  const sendFile = (content, name, kind) => {
    if (content.size > limits.fileBytes) return showFault(words.tooLarge);
    showFault('');
    client.send(field.value.trim(), { content, name, kind });
    field.value = '';
  };
  const submit = (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === '') return;
    showFault('');
    client.send(text);
    field.value = '';
    field.focus();
  };
  const form = element(
    'form',
    { onsubmit: submit },
    picker,
    attach,
    createRecorder({ words, sendFile }),
    field,
    send,
  );
  attach.addEventListener('click', () => picker.click());
  picker.addEventListener('change', () => {
    const [file] = picker.files;
    if (file) sendFile(file, file.name, file.type.startsWith('image/') ? 'photo' : 'document');
    picker.value = '';
  });
  field.addEventListener('keydown', (event) => {
    // Safari ends a composition before it tells of the key, which it then gives another code.
    const isComposing = event.isComposing || event.keyCode === 229;
    if (event.key === 'Enter' && !event.shiftKey && !isComposing) submit(event);
  });
  field.addEventListener('paste', ({ clipboardData }) => {
    const [file] = clipboardData?.files ?? [];
    if (file) sendFile(file, file.name, file.type.startsWith('image/') ? 'photo' : 'document');
  });
  return { form, focus: () => field.focus({ preventScroll: true }) };
}

/** Records where the browser and the page allow it; elsewhere there is no button. */
function createRecorder({ words, sendFile }) {
  if (!navigator.mediaDevices?.getUserMedia || typeof MediaRecorder === 'undefined') return undefined;
  const button = element(
    'button',
    { class: 'icon', type: 'button', 'aria-label': words.record },
    icon('voice'),
  );
  let recorder;
  const show = (isRecording) => {
    button.replaceChildren(icon(isRecording ? 'stop' : 'voice'));
    button.setAttribute('aria-label', isRecording ? words.stopRecording : words.record);
    button.classList.toggle('recording', isRecording);
  };
  button.addEventListener('click', async () => {
    if (recorder?.state === 'recording') return recorder.stop();
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => undefined);
    if (!stream) return button.remove();
    recorder = new MediaRecorder(stream);
    const chunks = [];
    recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data));
    recorder.addEventListener('stop', () => {
      for (const track of stream.getTracks()) track.stop();
      show(false);
      const type = recorder.mimeType.split(';')[0];
      const ending = type.includes('mp4') ? 'm4a' : type.includes('ogg') ? 'ogg' : 'webm';
      sendFile(new Blob(chunks, { type }), `voice-message.${ending}`, 'voice');
    });
    recorder.start();
    show(true);
    setTimeout(() => recorder.state === 'recording' && recorder.stop(), longestRecordingMs);
  });
  return button;
}
