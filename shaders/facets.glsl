// Translucent triangles of walls, more opaque at oblique incidence of the line of sight, fainter from behind.
// Colours in and out are linear light, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec3 a;        // corners, counter-clockwise seen from the front [m]
layout(location = 1) in vec3 b;
layout(location = 2) in vec3 c;
layout(location = 3) in vec4 colour;

uniform mat4 world_to_view;
uniform mat4 view_to_clip;

out vec3 sight;                        // line of sight, from the eye [m]
out vec3 world;                        // [m]
flat out vec3 normal;
flat out vec4 paint;

void main() {
    // The fourth corner of the square coincides with the third, which leaves a triangle.
    world = gl_VertexID == 0 ? a : (gl_VertexID == 1 ? b : c);
    normal = mat3(world_to_view) * normalize(cross(b - a, c - a));
    vec4 place = world_to_view * vec4(world, 1.0);
    sight = place.xyz;
    paint = colour;
    gl_Position = view_to_clip * place;
}
#endif

#ifdef FRAGMENT
in vec3 sight;
in vec3 world;
flat in vec3 normal;
flat in vec4 paint;

uniform vec4 cut;              // points x with cut.xyz . x + cut.w > 0 are hidden

out vec4 light;

const float BEHIND = 0.6;      // factor on the opacity of a face seen from behind
const float SLANT = 6.0;       // relative increase of the opacity of a face seen along its plane

void main() {
    if (dot(cut.xyz, world) + cut.w > 0.0) discard;
    float facing = -dot(normal, normalize(sight));
    float slant = 1.0 - abs(facing);
    float alpha = clamp(paint.a * (1.0 + SLANT * slant * slant * slant), 0.0, 1.0);
    if (facing < 0.0) alpha *= BEHIND;
    light = vec4(paint.rgb * alpha, alpha);
}
#endif
