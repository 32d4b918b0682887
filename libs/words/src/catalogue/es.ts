import type { Catalogue } from './catalogue.ts';

export const spanish: Catalogue = {
  greeting: '¡Hola! Soy {$bot}. Escríbame y le responderé.',
  help: [
    'Escríbame con sus propias palabras y le responderé.',
    '',
    '/new empieza una conversación nueva: olvido lo que se dijo antes.',
    '/stop detiene la respuesta en curso.',
    '/help muestra este texto.',
  ].join('\n'),
  new_conversation: 'Conversación nueva: he olvidado lo que se dijo antes.',
  goodbye: 'De acuerdo, me detengo. Escríbame cuando me necesite.',
  account_link:
    'Para esto necesito acceso a su cuenta en {$server}. Abra este enlace en los próximos diez minutos y no lo comparta con nadie: {$url}',
  account_connected:
    'Su cuenta en {$server} está conectada. Vuelva a preguntarme, por favor. /disconnect la desconecta.',
  account_code_wrong:
    'Este código no es válido o ya no lo es. Vuelva a preguntarme y le enviaré un enlace nuevo.',
  accounts_disconnected: 'Ya no tengo acceso a ninguna de sus cuentas.',
  delay: 'Esto tarda más de lo habitual. Sigo trabajando en ello.',
  handover: 'Para esto es mejor que le ayude una persona. Ya lo he pedido: le escribirá aquí mismo.',
  timeout: 'Lo siento, mi respuesta ha tardado demasiado. Pregúntemelo otra vez, por favor.',
  unavailable:
    'Lo siento, ahora mismo no puedo pensar con claridad. Inténtelo de nuevo dentro de unos minutos, por favor.',
  busy: 'Lo siento, ahora mismo tengo mucho trabajo. Inténtelo de nuevo dentro de un minuto, por favor.',
  key_refused:
    'Lo siento, en este momento no puedo responder: mis responsables tienen que revisar mi configuración.',
  model_refused:
    'Lo siento, en este momento no puedo responder: mis responsables tienen que revisar qué modelo utilizo.',
  refused: 'Lo siento, no he podido trabajar con ese mensaje. Intente expresarlo de otra manera, por favor.',
  too_long: 'Lo siento, eso es demasiado largo para mí. Envíeme un mensaje más corto, por favor.',
  request_refused:
    'Lo siento, ahora mismo no puedo responder, y no es por su mensaje: las personas que me gestionan tienen que revisar mi configuración.',
  'answer.cut':
    '(Mi respuesta se cortó aquí porque era demasiado larga. Pídame que continúe si necesita el resto.)',
  'answer.filtered': 'No puedo decir más sobre esto: un filtro de mi modelo no lo permite.',
  no_words: 'Lo siento, no he encontrado qué responder. Intente expresarlo de otra manera, por favor.',
  no_key: 'Lo siento, todavía no puedo responder: mis responsables aún tienen que darme acceso a un modelo.',
  no_agent:
    'Lo siento, todavía no hay nadie que responda: mis responsables aún tienen que configurar un agente.',
  agent_disabled:
    'Lo siento, por ahora no estoy en servicio: mis responsables tienen que volver a activarme.',
  quota_exhausted: 'Lo siento, por ahora no puedo responder más. Inténtelo de nuevo más tarde, por favor.',
  allowance_used_up: 'Lo siento, este mes ya no puedo responder más. Avise a mis responsables, por favor.',
  not_granted:
    'Lo siento, todavía no puedo hablar con usted aquí: mis responsables tienen que darle acceso primero.',
  unsupported: 'Lo siento, por ahora solo sé leer texto. Escríbame con palabras, por favor.',
  unsupported_voice:
    'Lo siento, todavía no puedo escuchar mensajes de voz. Escríbame con palabras, por favor.',
  unsupported_audio:
    'Lo siento, todavía no puedo escuchar archivos de audio. Escríbame con palabras, por favor.',
  unsupported_photo: 'Lo siento, todavía no puedo ver fotos. Escríbame con palabras, por favor.',
  unsupported_video: 'Lo siento, todavía no puedo ver vídeos. Escríbame con palabras, por favor.',
  unsupported_video_note: 'Lo siento, todavía no puedo ver videomensajes. Escríbame con palabras, por favor.',
  unsupported_animation: 'Lo siento, todavía no puedo ver animaciones. Escríbame con palabras, por favor.',
  unsupported_sticker: 'Lo siento, todavía no entiendo los stickers. Escríbame con palabras, por favor.',
  unsupported_document: 'Lo siento, todavía no puedo abrir archivos. Escríbame con palabras, por favor.',
  unsupported_location: 'Lo siento, todavía no sé leer mapas. Escríbame con palabras, por favor.',
  unsupported_contact: 'Lo siento, todavía no puedo leer contactos. Escríbame con palabras, por favor.',
  unsupported_poll: 'Lo siento, todavía no puedo participar en encuestas. Escríbame con palabras, por favor.',
  unsupported_checklist:
    'Lo siento, todavía no puedo leer listas de tareas. Escríbame con palabras, por favor.',
  unsupported_game: 'Lo siento, todavía no sé jugar. Escríbame con palabras, por favor.',
  unsupported_story: 'Lo siento, todavía no puedo ver historias. Escríbame con palabras, por favor.',
  file_too_large:
    'Lo siento, ese archivo es demasiado grande para mí: puedo recibir 20 MB como máximo. Envíeme uno más pequeño, por favor.',
  file_unavailable:
    'Lo siento, no pude recibir lo que envió. Envíelo otra vez o escríbame con palabras, por favor.',
  file_no_room:
    'Lo siento, en este momento no tengo espacio para archivos. Escríbame con palabras, por favor.',
  file_expired: 'Lo siento, ya no tengo lo que envió. Envíelo otra vez, por favor.',
  recording_unclear:
    'Lo siento, no pude entender esa grabación. Envíela otra vez o escríbame con palabras, por favor.',
  unsupported_file_type:
    'Lo siento, todavía no puedo leer archivos de este tipo. Escríbame con palabras, por favor.',
  agents_list: 'Puede dirigirse a uno de estos empezando con /agent y el nombre:',
  agents_more: 'y {$count} más',
  agent_chosen: 'Ahora le responde {$agent}.',
  approval_waiting:
    'Eso necesita primero una autorización: {$tools}. La he pedido y le aviso en cuanto alguien decida.',
  approval_rejected: '{$tool} no se autorizó, así que no lo he hecho.',
  approval_rejected_note: '{$tool} no se autorizó ({$note}), así que no lo he hecho.',
  approval_expired:
    'Nadie decidió a tiempo sobre {$tool}, así que no lo he hecho. Pídamelo otra vez si todavía lo desea.',
  approval_refused: '{$tool} se autorizó, pero entretanto ya no está permitido. No lo he hecho.',
  approval_refused_detail:
    '{$tool} se autorizó, pero entretanto ya no está permitido: {$detail}. No lo he hecho.',
  approval_uncertain:
    '{$tool} se autorizó, pero me interrumpieron a la mitad: no puedo decir si se hizo, y no lo hago dos veces. Compruébelo antes de pedirlo de nuevo, por favor.',
  approval_failed: '{$tool} se autorizó, pero no funcionó.',
  approval_executed: '{$tool} se autorizó y ya está hecho.',
  rating_question: '¿Le ha servido de ayuda?',
  rating_yes: '👍 Sí',
  rating_no: '👎 No, para nada',
  menu_start: 'Empezar',
  menu_help: 'Qué puedo hacer',
  menu_new: 'Empezar una conversación nueva',
  menu_stop: 'Dejar de responder',
  mail_subject: 'Confirme su correo a {$mailbox}',
  mail_hello: 'Hola:',
  mail_came:
    'Ha llegado a {$mailbox} un correo que le nombra como remitente. Allí solo se responde a quienes han confirmado su dirección, por eso el suyo está en espera.',
  mail_allow:
    'Si es suyo, abra esta página y confírmelo. Se responderá enseguida y no se le preguntará de nuevo:',
  mail_alone: 'El enlace es solo para usted y vale durante 24 horas. No lo reenvíe, por favor.',
  mail_not_you: 'Si no ha escrito, no tiene que hacer nada: sin usted no ocurre nada.',
  mail_button: 'Confirmar mi dirección',
  chat_mail_subject: 'Su chat con {$mailbox}',
  chat_mail_came:
    'Alguien ha indicado esta dirección en un chat para recibir por correo las respuestas de {$mailbox}.',
  chat_mail_allow:
    'Si ha sido usted, abra esta página y confírmelo. Las respuestas que no vea en el chat llegarán aquí, y podrá contestarlas:',
  invite_subject: 'Tiene una invitación de {$tenant}',
  invite_came: 'Le invitan a trabajar con {$tenant} en Botyard.',
  invite_accept: 'Para aceptar, abra esta página e inicie sesión con esta dirección de correo:',
  invite_end: 'La invitación vale durante 14 días. Si no la esperaba, no tiene que hacer nada.',
};
