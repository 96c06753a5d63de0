// Spheres as instanced squares. Each pixel follows its line of sight to the sphere: shape and depth are exact, and the
// edge is computed, one pixel wide at any zoom. Draw the farthest first, because edges blend with the colour behind them.
// Colours in and out are linear light, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec3 centre;       // [m]
layout(location = 1) in float radius;      // [m]
layout(location = 2) in vec4 face;
layout(location = 3) in vec4 rim;          // colour, width [pixel]
layout(location = 4) in vec4 orientation;  // unit quaternion w, x, y, z; all zero for a sphere without marks
layout(location = 5) in vec4 neighbours;   // direction away from the neighbours, and their density (0 to 1)
layout(location = 6) in vec2 arriving;     // share of the lamp's and of the sky's light

uniform mat4 world_to_view;
uniform mat4 view_to_clip;
uniform float focal;                       // [pixel]
uniform float near;                        // [m]

out vec3 sight;                            // line of sight, from the eye [m]
flat out vec3 middle;                      // centre of the sphere, from the eye [m]
flat out float edge;                       // radius [m]
flat out float coverage;                   // share of its light that a sphere smaller than a pixel keeps
flat out vec4 face_colour;
flat out vec4 rim_colour;
flat out vec4 turn;
flat out vec4 crowd;
flat out vec2 light_share;

void main() {
    middle = (world_to_view * vec4(centre, 1.0)).xyz;
    float pixel = -middle.z / focal;
    edge = max(radius, 0.5 * pixel);
    coverage = (radius * radius) / (edge * edge);
    face_colour = face;
    rim_colour = rim;
    turn = orientation;
    crowd = neighbours;
    light_share = arriving;
    float reach = edge + 0.75 * pixel;
    if (-middle.z < near + reach) {
        // The eye is at or in the sphere.
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    float far = length(middle);
    vec3 ahead = middle / far;
    vec3 across = normalize(cross(ahead, vec3(0.0, 1.0, 0.0)));
    vec3 along = cross(across, ahead);
    float side = reach * far / sqrt(far * far - reach * reach);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    sight = middle + (corner.x * across + corner.y * along) * side;
    gl_Position = view_to_clip * vec4(sight, 1.0);
}
#endif

#ifdef FRAGMENT
in vec3 sight;
flat in vec3 middle;
flat in float edge;
flat in float coverage;
flat in vec4 face_colour;
flat in vec4 rim_colour;
flat in vec4 turn;
flat in vec4 crowd;
flat in vec2 light_share;

uniform mat4 world_to_view;
uniform float focal;
uniform float near;
uniform vec3 lamp;             // unit vector towards the lamp, in the world

out vec4 light;

const float KEY = 0.56;        // light of the lamp; with SKY and FILL the brightest side shows the legend's colour
const float SKY = 0.28;        // light from above
const float FILL = 0.44;       // light from the eye, so that every side is visible
const float BURIED = 0.9;     // darkening of a side that neighbours cover
const float CONTOUR = 0.45;    // light left at the contour, which separates grains of one colour
const float MARK = 0.6;       // light left on the marked octants

// The vector in the frame of the rotated sphere.
vec3 turned_back(vec3 v, vec4 q) {
    vec3 axis = -q.yzw;
    return v + 2.0 * cross(axis, cross(axis, v) + q.x * v);
}

void main() {
    vec3 direction = normalize(sight);
    float ahead = dot(direction, middle);
    vec3 miss = direction * ahead - middle;
    float off = length(miss);
    float pixel = -ahead * direction.z / focal;
    float inside = clamp((edge - off) / pixel + 0.5, 0.0, 1.0);
    if (inside <= 0.0) discard;
    float bulge = sqrt(max(edge * edge - off * off, 0.0));
    vec3 hit = direction * (ahead - bulge);
    gl_FragDepth = 1.0 - near / max(-hit.z, near);

    vec3 normal = (miss - direction * bulge) / edge;
    vec3 world = normal * mat3(world_to_view);
    float facing = bulge / edge;
    // A side covered by close neighbours gets no light from the sky.
    float open = 1.0 - BURIED * crowd.w * (0.5 - 0.5 * dot(world, crowd.xyz));
    float key = max(dot(world, lamp), 0.0) * light_share.x;
    float sky = (0.5 + 0.5 * world.z) * mix(light_share.y, 1.0, 0.25);
    float shade = KEY * key + (SKY * sky + FILL * facing) * open;
    shade *= mix(CONTOUR, 1.0, smoothstep(0.0, 0.55, facing));

    if (dot(turn, turn) > 0.5) {
        vec3 own = turned_back(world, turn);
        float blur = pixel / edge / max(facing, 0.15);
        vec3 side = clamp(own / blur, -1.0, 1.0);
        shade *= mix(1.0, MARK, 0.5 - 0.5 * side.x * side.y * side.z);
    }
    float alpha = mix(1.0, face_colour.a, smoothstep(0.25, 0.8, facing));
    vec3 colour = face_colour.rgb * min(shade, 1.0);
    float on_rim = rim_colour.a > 0.0 ? clamp((off - edge) / pixel + rim_colour.a + 0.5, 0.0, 1.0) : 0.0;
    light = vec4(mix(colour, rim_colour.rgb, on_rim), 1.0) * mix(alpha, 1.0, on_rim) * inside * coverage;
}
#endif
