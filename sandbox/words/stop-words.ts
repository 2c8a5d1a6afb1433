/** Words that say nothing about a question's subject, as stems. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an ani and any ar are as at b be becaus been befor being but by can cannot could
  d did do doe does doing done dont during each either els ever everi exactli few for from further get give go goe
  going got had has hav have having he her here hi him his how howev i id if im in into is it its itself ive just know
  ll let like long look m mai make mani me mean mine more most much must my need neither no nor not now of off ok on
  onc one onli or other our out over own per pleas possibl question re s same shall she should so some someon
  something still such sure t take tell than thank that the their them then there these thei they thing think thi
  this those through to too u under until up us use using ve veri want wa was wai way we well were what whatev when
  where whether which while who whom whose whi why will with without wonder would yes yet you your happen hello hi
  hei find show explain describ happens anyon anyth anything everyth kind sort work
    don doesn didn isn aren wasn won couldn shouldn wouldn haven hasn bring come came allow nobodi everybodi somebodi must quick quickli soon fast question possibl please want thing`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** A pair of characters that holds one of these is part of the question's grammar. */
export const STOP_CHARACTERS = '的了吗呢啊吧是我你您他她它们这那哪谁么什怎几吗在和与及就都也很请问会能';
